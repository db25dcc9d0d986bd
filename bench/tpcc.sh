# A part of run.sh: TPC-C against sysbench-tpcc, whose scripts are read from the folder TPCC (nothing of them is here): CPU of the
# client per New-Order at 32 users, and warehouses loaded per minute, on the server of the other parts; the loader of go-tpc is measured
# where GO_TPC names that program, which speaks TCP only. Sourced.

TPCC=${TPCC:-} TPCC_WAREHOUSES=${TPCC_WAREHOUSES:-2} TPCC_USERS=${TPCC_USERS:-32} GO_TPC=${GO_TPC:-} GO_TPC_PORT=${GO_TPC_PORT:-34061}

tpcc_networking() {
    if [ -n "$GO_TPC" ]; then printf 'bind-address=127.0.0.1\nport=%s\n' "$GO_TPC_PORT"; else echo skip-networking; fi
}

tpcc_sysbench() { # COMMAND...
    (cd "$TPCC" && sysbench ./tpcc.lua --mysql-socket="$socket" --mysql-user=root --mysql-db=tpcc --db-driver=mysql --tables=1 --scale="$TPCC_WAREHOUSES" "$@")
}

tpcc_sql() { # STATEMENT
    cat >"$home/say.lua" <<LUA
function cleanup() sysbench.sql.driver():connect():query("$1") end
LUA
    sysbench "$home/say.lua" --mysql-socket="$socket" --mysql-user=root --mysql-db="${2:-sbtest}" --db-driver=mysql cleanup >>"$home/log"
}

tpcc_go() {
    tpcc_sql "CREATE DATABASE tpcc"
    local begin end
    begin=$(date +%s.%N)
    "$GO_TPC" tpcc prepare --no-check -H 127.0.0.1 -P "$GO_TPC_PORT" -U root -D tpcc --warehouses "$TPCC_WAREHOUSES" -T 2 >>"$home/log" 2>&1
    end=$(date +%s.%N)
    figure go-tpc warehouses_per_min "$(awk "BEGIN {print $TPCC_WAREHOUSES * 60 / ($end - $begin)}")"
    tpcc_sql "DROP DATABASE tpcc"
}

tpcc() {
    [ -f "$TPCC/tpcc.lua" ] || { say "tpcc: TPCC names no folder with sysbench-tpcc's scripts"; return; }
    local to="mysql://root@localhost/?socket=$socket" begin end orders
    users=$TPCC_USERS
    for round in $(part=tpcc; rounds "$users" "$LOADS"); do
        say "TPC-C, round $round: loading $TPCC_WAREHOUSES warehouses"
        part=tpcc
        tpcc_sql "DROP DATABASE IF EXISTS tpcc"
        tpcc_sql "CREATE DATABASE tpcc"
        begin=$(date +%s.%N)
        tpcc_sysbench --threads=2 prepare >>"$home/log"
        end=$(date +%s.%N)
        # Its loader sleeps half a minute after making the tables, which is not counted.
        figure sysbench warehouses_per_min "$(awk "BEGIN {print $TPCC_WAREHOUSES * 60 / ($end - $begin - 30)}")"
        "$home/spend" "$home/spent" 'Threads started!' '' bash -c "cd '$TPCC' && exec sysbench ./tpcc.lua --mysql-socket='$socket' --mysql-user=root --mysql-db=tpcc --db-driver=mysql --tables=1 --scale=$TPCC_WAREHOUSES --threads=$users --time=$LENGTH run" >"$home/out" 2>>"$home/log"
        read -r cpu _ _ <"$home/spent"
        # Ten of 23 are New-Orders.
        orders=$(awk '/transactions:/ {print $2 * 10 / 23}' "$home/out")
        figure sysbench cpu_per_order "$(awk "BEGIN {print $cpu * 1e6 / $orders}")"
        tpcc_sql "DROP DATABASE tpcc"
        [ -z "$GO_TPC" ] || tpcc_go
        rm -rf "$home/record"
        "$ASSAY" bench tpcc.compat --users "$users" --for "${LENGTH}s" --on "$to" --set warehouses="$TPCC_WAREHOUSES" \
            --set load.warm_up=300ms --json --out "$home/record" >"$home/out" 2>>"$home/log" || [ $? = 1 ]
        figure assay warehouses_per_min "$(tr -d '\n' <"$(ls "$home"/record/datasets/*.json)" | awk -v n="$TPCC_WAREHOUSES" '
            match($0, /"load_time": *[0-9]+/) { split(substr($0, RSTART, RLENGTH), a, ":"); print n * 60 / (a[2] / 1e9) }')"
        figure assay cpu_per_order "$(awk "BEGIN {print $(number client_cpus_used "$home/out") * 60e6 / $(number nopm "$home/out")}")"
        drop_assay_schema
    done
}
