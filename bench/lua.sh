# A part of run.sh: what a statement of a sysbench script costs the client, by `assay sysbench` and by sysbench, the same scripts and options on
# the same server, in interleaved pairs. Each program runs for a while first: a state of LuaJIT compiles what it runs often, each
# user's for itself, and neither is to be charged for its beginnings or its end. CPU is that of the whole process between two lines of
# its own report, and the statements are those that it reports between them. Sourced.

LUA_LEVELS=${LUA_LEVELS:-"1 16 64 256 1024"} LUA_SCRIPTS=${LUA_SCRIPTS:-"oltp_point_select oltp_read_only"} LUA_ROUNDS=${LUA_ROUNDS:-3} LUA_LENGTH=${LUA_LENGTH:-4}

# So many seconds pass before users that many have compiled their events: the more there are, the seldomer is each one's turn.
lua_warm_up() { echo ${LUA_WARM_UP:-$((2 + users / 64))}; }

lua_spent() { awk '{ sub(/.*\) /, ""); print $12, $13 }' "/proc/$1/stat"; }

run_lua() { # PROGRAM COMMAND...
    local program=$1 begin=0 end pid before=() after=() kib=0 line
    shift
    begin=$(lua_warm_up)
    end=$((begin + LUA_LENGTH))
    rm -f "$home/lines"
    mkfifo "$home/lines"
    "$@" "$script" "${sb[@]}" --threads="$users" --time=$((end + 1)) --report-interval=1 run >"$home/lines" 2>>"$home/log" &
    pid=$!
    while read -r line; do
        echo "$line"
        case $line in
            "[ ${begin}s ]"*) read -ra before <<<"$(lua_spent $pid)" ;;
            "[ ${end}s ]"*)
                read -ra after <<<"$(lua_spent $pid)"
                kib=$(awk '/VmHWM/ { print $2 }' /proc/$pid/status) ;;
        esac
    done <"$home/lines" >"$home/out"
    wait $pid
    awk -v begin="$begin" -v end="$end" '/^\[ [0-9]+s \]/ { if ($2 + 0 > begin && $2 + 0 <= end) sum += $9 } END { print sum + 0 }' "$home/out" >"$home/queries"
    awk -v n="$(cat "$home/queries")" -v tick="$(getconf CLK_TCK)" -v s="$LUA_LENGTH" -v u="$((after[0] - before[0]))" -v k="$((after[1] - before[1]))" \
        'BEGIN { print n / s, (u + k) / tick * 1e6 / n, u / tick * 1e6 / n }' >"$home/spent"
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
