# The part `transport` of run.sh, which sources it: what a Unix socket, a port on loopback and TLS on that port cost a
# statement. Each round is one `assay run` of transport.toml, with a server of its own that offers all three; the data is loaded once
# and kept cold between. Peak memory is of a process with one transport alone, and is taken once.

# One `assay run` of it, its cells as lines in $home/cells; what it spent in $home/spent.
run_transport() { # USERS [TRANSPORT]
    local status=0
    rm -rf "$home/record"
    "$home/spend" "$home/spent" '' '' "$ASSAY" run bench/transport.toml --json --out "$home/record" --set "axes.users=[$1]" ${2:+--set "axes.transport=[\"$2\"]"} \
        --set "load.measure=${LENGTH}s" --set "workload.oltp.tables=$TABLES" --set "workload.oltp.rows=$ROWS" >"$home/cells" 2>>"$home/log" || status=$?
    [ $status -le 1 ]
}

transport() {
    local how cell levels=${TRANSPORT_LEVELS// /,}
    part=transport
    for round in $(rounds "$TRANSPORT_LEVELS" "$ROUNDS"); do
        say "transports, round $round, $levels connections"
        run_transport "$levels"
        while read -r cell; do
            echo "$cell" >"$home/cell"
            how=$(grep -o '"transport":"[a-z]*' "$home/cell" | head -1 | sed 's/.*"//')
            users=$(plain users "$home/cell" | head -1)
            figure "$how" qps "$(number qps "$home/cell")"
            figure "$how" cpu "$(number client_cpu_us_per_statement "$home/cell")"
            figure "$how" user "$(number client_cpu_user_us_per_statement "$home/cell")"
            figure "$how" server "$(number server_cpu_us_per_statement "$home/cell")"
        done <"$home/cells"
    done
    users=$TRANSPORT_MEMORY round=1
    for how in unix tcp tls; do
        say "transports, memory at $users connections over $how"
        run_transport "$users" "$how"
        read -r _ _ kib <"$home/spent"
        figure "$how" rss "$(awk "BEGIN {print $kib / 1024}")"
    done
}
