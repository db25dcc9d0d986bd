# The point selects of the first part on a private PostgreSQL, which assay starts: the floor in its protocol, assay, sysbench and
# pgbench, each with prepared statements over the same tables, which sysbench made. pgbench draws the table by a script for each,
# and is charged for connecting, too, which it does not tell from the rest. Part of bench/run.sh.
#
#   PARTS=postgres POSTGRES_LEVELS="64 256" bench/run.sh
POSTGRES_LEVELS=${POSTGRES_LEVELS:-"64 256"}

run_pgbench() {
    local scripts=() table queries
    for table in $(seq "$TABLES"); do
        printf '\\set id random(1, %s)\nSELECT c FROM sbtest%s WHERE id=:id;\n' "$ROWS" "$table" >"$home/pgbench.$table"
        scripts+=(-f "$home/pgbench.$table")
    done
    "$home/spend" "$home/spent" '' '' pgbench -n -M prepared "${scripts[@]}" -c "$users" -j "$(nproc)" -T "$LENGTH" \
        -h "$(dirname "$postgres")" -U root sbtest >"$home/out" 2>>"$home/log"
    read -r cpu user kib <"$home/spent"
    queries=$(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' "$home/out")
    figure pgbench qps "$(sed -n 's/^tps = \([0-9.]*\).*/\1/p' "$home/out" | tail -1)"
    figure pgbench cpu "$(awk "BEGIN {print $cpu * 1e6 / $queries}")"
    figure pgbench user "$(awk "BEGIN {print $user * 1e6 / $queries}")"
    figure pgbench rss "$(awk "BEGIN {print $kib / 1024}")"
}

postgres() {
    part=postgres
    local postgres io to_sysbench there most
    most=$(tr ' ' '\n' <<<"$POSTGRES_LEVELS" | sort -n | tail -1)
    postgres=$("$ASSAY" servers start postgresql --detach --set "settings.buffer_pool='1 GiB'" --set "settings.max_connections=$((most + 50))" |
        sed -n 's/.* serves at //p')
    [ -S "$postgres" ] || { say "postgres: no server"; return 1; }
    psql -qX -h "$(dirname "$postgres")" -U root postgres -c 'CREATE DATABASE sbtest' >>"$home/log"
    to_sysbench=(--db-driver=pgsql --pgsql-host="$(dirname "$postgres")" --pgsql-user=root --pgsql-db=sbtest --tables="$TABLES"
        --table-size="$ROWS" --rand-type=uniform)
    sysbench oltp_read_only "${to_sysbench[@]}" --threads=2 prepare >>"$home/log"
    psql -qX -h "$(dirname "$postgres")" -U root sbtest -c 'VACUUM (FREEZE, ANALYZE)' >>"$home/log"
    there="postgres://root@localhost/sbtest?socket=$postgres"
    for round in $(rounds "$POSTGRES_LEVELS" "$ROUNDS"); do
        for users in $POSTGRES_LEVELS; do
            say "postgres, round $round, $users connections"
            for io in io_uring "io_uring:$(nproc)" epoll "epoll:$(nproc)"; do run_floor "$io" "$postgres" postgres:sbtest; done
            run_assay oltp.point_selects auto "$there" "${parameters[@]}"
            run_sysbench oltp_point_select
            run_pgbench
        done
    done
    "$ASSAY" servers stop postgresql >>"$home/log"
}
