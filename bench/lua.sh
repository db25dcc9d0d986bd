# A part of run.sh: what a statement of a sysbench script costs the client, by `assay sysbench` and by sysbench, the same scripts and options on
# the same server, in interleaved pairs. Each program runs for a while first: a state of LuaJIT compiles what it runs often, each
# user's for itself, and neither is to be charged for its beginnings or its end. CPU is that of the whole process between two lines of
# its own report, and the statements are those that it reports between them. Sourced.

LUA_LEVELS=${LUA_LEVELS:-"1 16 64 256 1024"} LUA_SCRIPTS=${LUA_SCRIPTS:-"oltp_point_select oltp_read_only"} LUA_ROUNDS=${LUA_ROUNDS:-3} LUA_LENGTH=${LUA_LENGTH:-4}

# So many seconds pass before users that many have compiled their events: the more there are, the seldomer is each one's turn.
lua_warm_up() { echo ${LUA_WARM_UP:-$((2 + users / 64))}; }

run_lua() { # PROGRAM COMMAND...
    local program=$1 begin end qps cpu user kib
    shift
    begin=$(lua_warm_up)
    end=$((begin + LUA_LENGTH))
    "$home/spend" "$home/spent" "[ ${begin}s ]" "[ ${end}s ]" "$@" "$script" "${sb[@]}" --threads="$users" --time=$((end + 1)) \
        --report-interval=1 run >"$home/out" 2>>"$home/log"
    read -r cpu user kib <"$home/spent"
    awk -v begin="$begin" -v end="$end" -v s="$LUA_LENGTH" -v cpu="$cpu" -v user="$user" '
        /^\[ [0-9]+s \]/ { if ($2 + 0 > begin && $2 + 0 <= end) n += $9 }
        END { print n / s, cpu * 1e6 / n, user * 1e6 / n }' "$home/out" >"$home/spent"
    read -r qps cpu user <"$home/spent"
    figure "$program" qps "$qps"
    figure "$program" cpu "$cpu"
    figure "$program" user "$user"
    figure "$program" rss "$(awk "BEGIN {print $kib / 1024}")"
}

lua() {
    local script
    part="lua.${LUA_SCRIPTS%% *}"
    for round in $(rounds "$LUA_LEVELS" "$LUA_ROUNDS"); do
        for script in $LUA_SCRIPTS; do
            part="lua.$script"
            for users in $LUA_LEVELS; do
                say "$script, round $round, $users users"
                run_lua sysbench sysbench
                run_lua "assay sysbench" "$ASSAY" sysbench
            done
        done
    done
}
