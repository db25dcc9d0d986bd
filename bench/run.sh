#!/usr/bin/env bash
# Holds assay against sysbench and against the floor (floor.c), on one private MariaDB, in interleaved rounds, and writes the
# table into docs/performance.md. The kernel's price for waking a thread on a shared machine drifts by a factor of three
# within an hour while ratios within a round hold: so only ratios of one round are compared, and their median is quoted
# with the smallest and the largest. Nothing here has a time that it must reach.
#
#   ROUNDS=5 LENGTH=4 LEVELS="1 2 3 4 8 16 32 64 256 1024" bench/run.sh        what `make bench` runs
#   PARTS="points tcp apart mixed lua canned loader transport postgres ranks" choose some; TABLE=FILE writes elsewhere
#   points go by a Unix socket on CPUs that server and load share; tcp goes by loopback, and apart gives the server the last CPU and
#   the load the others
#   PARTS=lua holds `assay sysbench` against sysbench, with the same scripts
#   PARTS=ranks RANKS=FILE lays three ranks beside one process, both of a release build with the feature `mpi`
#   PARTS=tpcc TPCC=FOLDER [GO_TPC=PROGRAM] lays TPC-C beside the scripts of sysbench-tpcc in that folder, and beside go-tpc
#
# In slices, where the machine is quiet for minutes only: FIGURES=FILE keeps the figures of all calls, each adding its
# rounds to those of the calls before, and the table is of all of them; PARTS=none only writes it. SOCKET=FILE measures on a server that is up
# already and has the tables in `sbtest` (not for the loader).
set -euo pipefail
cd "$(dirname "$0")/.."

ROUNDS=${ROUNDS:-5} LENGTH=${LENGTH:-4} LEVELS=${LEVELS:-"1 2 3 4 8 16 32 64 256 1024"} CANNED_LEVELS=${CANNED_LEVELS:-"1 64 1024"}
LOADS=${LOADS:-3} TABLES=${TABLES:-4} ROWS=${ROWS:-250000} PARTS=${PARTS:-"points tcp apart mixed lua canned loader transport postgres ranks"}
TCP_LEVELS=${TCP_LEVELS:-"1 2 4 16 64"} BENCH_PORT=${BENCH_PORT:-43306}
TRANSPORT_LEVELS=${TRANSPORT_LEVELS:-"1 64 256"} TRANSPORT_MEMORY=${TRANSPORT_MEMORY:-1024}
TABLE=${TABLE:-docs/performance.md} ASSAY=${ASSAY:-target/release/assay} SHAM=${SHAM:-target/release/examples/sham}

home=$(mktemp -d "${TMPDIR:-/tmp}/assay-bench.XXXXXX")
socket=${SOCKET:-$home/s}
figures=${FIGURES:-$home/figures.tsv}
touch "$figures"
server=""
canned=""
finish() {
    status=$?
    "$ASSAY" servers stop postgresql >/dev/null 2>&1 || true
    for pid in $server $canned; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null; done
    [ $status = 0 ] || { echo "bench: failed; the last lines of its log:"; tail -5 "$home/log"; cp "$home/log" /tmp/assay-bench.log; } >&2
    rm -rf "$home"
    exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM
say() { echo "$(date +%H:%M:%S) $*" >&2; }

ulimit -n "$(ulimit -Hn)"
# What assay keeps between calls (its canary) belongs to this bench alone.
export ASSAY_HOME=$home/house XDG_RUNTIME_DIR=$home

gcc -O2 -o "$home/floor" bench/floor.c -luring -lpthread
gcc -O2 -o "$home/spend" bench/spend.c

# Loopback, for those parts that go there.
networking() {
    case " $PARTS " in
        *" tcp "*) printf 'bind-address=127.0.0.1\nport=%s\n' "$BENCH_PORT" ;;
        *) tpcc_networking ;;
    esac
}

start_server() {
    local binary folder
    binary=$(PATH=$PATH:/usr/sbin:/usr/libexec command -v mariadbd)
    mkdir "$home/data" "$home/tmp"
    cat >"$home/my.cnf" <<CNF
[mysqld]
user=$(id -un)
datadir=$home/data
tmpdir=$home/tmp
socket=$socket
pid-file=$home/pid
log-error=$home/server.log
$(networking)
skip-name-resolve
skip-log-bin
performance_schema=OFF
query_cache_type=0
max_connections=2000
table_open_cache=4000
max_prepared_stmt_count=1000000
innodb_buffer_pool_size=1G
innodb_log_file_size=512M
innodb_flush_log_at_trx_commit=1
CNF
    # As assay's own instances are made, so that nothing but the server and its share folder is needed.
    for folder in /usr/share/mysql /usr/share/mariadb; do [ -f $folder/mysql_system_tables.sql ] && break; done
    { printf 'create database if not exists mysql;\nuse mysql;\nset @auth_root_socket=NULL;\n'
      cat $folder/mysql_system_tables.sql $folder/mysql_performance_tables.sql $folder/mysql_system_tables_data.sql \
          $folder/fill_help_tables.sql $folder/maria_add_gis_sp_bootstrap.sql
    } | "$binary" --defaults-file="$home/my.cnf" --bootstrap >>"$home/log" 2>&1
    printf '%s;\n' "CREATE DATABASE sbtest" "CREATE USER IF NOT EXISTS root@127.0.0.1" "GRANT ALL ON *.* TO root@127.0.0.1" >"$home/init.sql"
    "$binary" --defaults-file="$home/my.cnf" --init-file="$home/init.sql" >>"$home/log" 2>&1 &
    server=$!
    for _ in $(seq 300); do
        [ -S "$socket" ] && return
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    cat "$home/server.log" >&2
    return 1
}

sb=(--mysql-socket="$socket" --mysql-user=root --mysql-db=sbtest --tables="$TABLES" --table-size="$ROWS" --rand-type=uniform)
to_sysbench=("${sb[@]}")
dsn="mysql://root@localhost/sbtest?socket=$socket"
parameters=(--set tables="$TABLES" --set rows="$ROWS" --set distribution=uniform)

# A figure is: part, program, users, round, name, value.
figure() { printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$part" "$1" "$users" "$round" "$2" "$3" >>"$figures"; }
# The numbers of so many rounds of a part, after those that it has at its levels; and of all that it has.
had() { awk -F'\t' -v part="$part" -v levels=" $1 " 'BEGIN { most = 0 } $1 == part && index(levels, " " $3 " ") && $4 > most { most = $4 } END { print most }' "$figures"; }
rounds() { local before; before=$(had "$1"); seq $((before + 1)) $((before + $2)); }
number() { grep -o "\"$1\":{\"value\":[0-9.e-]*" "$2" | head -1 | sed 's/.*://'; }
plain() { grep -o "\"$1\":[0-9.]*" "$2" | sed 's/.*://'; }

run_sysbench() { # SCRIPT
    "$home/spend" "$home/spent" 'Threads started!' '' ${PINNED:-} sysbench "$1" "${to_sysbench[@]}" --threads="$users" --time="$LENGTH" run >"$home/out" 2>>"$home/log"
    read -r cpu user kib <"$home/spent"
    local queries
    queries=$(awk '/total:/ && /[0-9]/ {print $2; exit}' "$home/out")
    figure sysbench qps "$(sed -n 's/.*queries: .*(\([0-9.]*\) per sec.*/\1/p' "$home/out")"
    figure sysbench cpu "$(awk "BEGIN {print $cpu * 1e6 / $queries}")"
    figure sysbench user "$(awk "BEGIN {print $user * 1e6 / $queries}")"
    figure sysbench rss "$(awk "BEGIN {print $kib / 1024}")"
}

run_floor() { # epoll|io_uring|blocking, or io_uring:THREADS SOCKET SCHEMA [COMMAND BEFORE]
    local io=$1 to=$2 schema=$3
    shift 3
    "$home/spend" "$home/spent" '' '' "$@" "$home/floor" "$io" "$to" "$schema" "$TABLES" "$ROWS" "$users" "$LENGTH" >"$home/out" 2>>"$home/log"
    read -r _ _ kib <"$home/spent"
    figure "floor $io" qps "$(plain qps "$home/out")"
    figure "floor $io" cpu "$(plain client_cpu_us_per_statement "$home/out")"
    figure "floor $io" user "$(plain client_cpu_user_us_per_statement "$home/out")"
    figure "floor $io" rss "$(awk "BEGIN {print $kib / 1024}")"
}

run_assay() { # WORKLOAD auto|blocking|epoll|io_uring DSN [PARAMETERS...]; PINNED is a command before it
    local workload=$1 io=$2 to=$3 status=0
    shift 3
    rm -rf "$home/record"
    "$home/spend" "$home/spent" '' '' ${PINNED:-} "$ASSAY" bench "$workload" --users "$users" --for "${LENGTH}s" --io "$io" --on "$to" \
        --set load.warm_up=300ms "$@" --json --out "$home/record" >"$home/out" 2>>"$home/log" || status=$?
    [ $status -le 1 ] || return $status
    read -r _ _ kib <"$home/spent"
    figure "assay $io" qps "$(number qps "$home/out")"
    figure "assay $io" cpu "$(number client_cpu_us_per_statement "$home/out")"
    figure "assay $io" user "$(number client_cpu_user_us_per_statement "$home/out")"
    # The whole process: workers, sampling and conducting, while it measured.
    figure "assay $io" process "$(awk -v qps="$(number qps "$home/out")" '
        match($0, /"client.cpu.process": *\[[^]]*\]/) { n = split(substr($0, RSTART, RLENGTH), a, /[][,]/)
            seen = 1; value = (a[3] - a[2]) / 1e3 / (qps * (a[5] - a[4]) / 1e9) }
        END { if (seen) print value }' <(tr -d '\n' <"$home"/record/runs/*/run.json | grep -o '"name": *"measure".*' | sed 's/"whole".*//'))"
    figure "assay $io" rss "$(awk "BEGIN {print $kib / 1024}")"
}

# The floor by each of its ways, assay by the one that it chooses, and sysbench, all at one endpoint.
interleaved() { # PART LEVELS ENDPOINT DSN COMMAND_BEFORE...
    local to=$3 there=$4 io
    part=$1
    for round in $(rounds "$2" "$ROUNDS"); do
        for users in $2; do
            say "$part, round $round, $users connections"
            for io in blocking io_uring "io_uring:$(nproc)" epoll "epoll:$(nproc)"; do run_floor "$io" "$to" sbtest "${@:5}"; done
            PINNED="${*:5}" run_assay oltp.point_selects auto "$there" "${parameters[@]}"
            PINNED="${*:5}" run_sysbench oltp_point_select
        done
    done
}

points() { interleaved points "$LEVELS" "$socket" "$dsn"; }

tcp() {
    local to_sysbench=("${sb[@]/#--mysql-socket=*/--mysql-host=127.0.0.1}" --mysql-port="$BENCH_PORT")
    interleaved tcp "$TCP_LEVELS" "127.0.0.1:$BENCH_PORT" "mysql://root@127.0.0.1:$BENCH_PORT/sbtest"
}

# Threads that the server begins later keep to the CPUs of those that begin them.
apart() {
    local last=$(($(nproc) - 1))
    [ "$last" -gt 0 ] && [ -n "$server" ] || { say "apart: needs two cores and a server of its own"; return; }
    taskset -acp "$last" "$server" >>"$home/log"
    interleaved apart "$TCP_LEVELS" "$socket" "$dsn" taskset -c "0-$((last - 1))"
    taskset -acp "0-$last" "$server" >>"$home/log"
}

mixed() {
    part=mixed users=64
    for round in $(rounds $users "$ROUNDS"); do
        say "mixed read-only transaction, round $round"
        run_sysbench oltp_read_only
        run_assay oltp.mixed io_uring "$dsn" "${parameters[@]}"
    done
}

# The server answers from memory, spinning on a core of its own: what is left is the client.
canned() {
    part=canned
    local last=$(($(nproc) - 1)) to=$home/canned
    [ "$last" -gt 0 ] || { say "canned: needs two cores"; return; }
    taskset -c "$last" "$SHAM" "$to" >>"$home/log" 2>&1 &
    canned=$!
    until [ -S "$to" ]; do sleep 0.1; done
    for round in $(rounds "$CANNED_LEVELS" "$ROUNDS"); do
        for users in $CANNED_LEVELS; do
            say "canned server, round $round, $users connections"
            for io in io_uring epoll; do
                run_floor "$io" "$to" "" taskset -c 0
                PINNED="taskset -c 0" run_assay noop "$io" "mysql://root@localhost/?socket=$to"
            done
        done
    done
    kill "$canned"; wait "$canned" 2>/dev/null || true
    canned=""
}

drop_assay_schema() {
    cat >"$home/drop.lua" <<'LUA'
function cleanup()
   local con = sysbench.sql.driver():connect()
   local result = con:query("SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'assay\\_%'")
   for _ = 1, result.nrows do con:query("DROP DATABASE " .. result:fetch_row()[1]) end
end
LUA
    sysbench "$home/drop.lua" --mysql-socket="$socket" --mysql-user=root --mysql-db=sbtest cleanup >>"$home/log"
}

loader() {
    part=loader users=2
    for round in $(rounds $users "$LOADS"); do
        say "loading $TABLES tables of $ROWS rows, round $round"
        sysbench oltp_read_only "${sb[@]}" cleanup >>"$home/log"
        local begin end
        begin=$(date +%s.%N)
        sysbench oltp_read_only "${sb[@]}" --threads=2 prepare >>"$home/log"
        end=$(date +%s.%N)
        figure sysbench rows_per_s "$(awk "BEGIN {print $TABLES * $ROWS / ($end - $begin)}")"
        drop_assay_schema
        rm -rf "$home/record"
        "$ASSAY" bench oltp.mixed --users 1 --for 100ms --set load.warm_up=0s --on "mysql://root@localhost/?socket=$socket" \
            "${parameters[@]}" --out "$home/record" >>"$home/log" 2>&1 || [ $? = 1 ]
        figure assay rows_per_s "$(tr -d '\n' <"$(ls "$home"/record/datasets/*.json)" | awk -v rows=$((TABLES * ROWS)) '
            match($0, /"load_time": *[0-9]+/) { split(substr($0, RSTART, RLENGTH), a, ":"); print rows / (a[2] / 1e9) }')"
        drop_assay_schema
    done
}

source bench/transport.sh
source bench/lua.sh
source bench/tpcc.sh
source bench/postgres.sh
source bench/ranks.sh

none() { :; }
case " $PARTS " in *" points "* | *" tcp "* | *" apart "* | *" mixed "* | *" lua "* | *" loader "* | *" tpcc "* | *" ranks "*)
    if [ -z "${SOCKET:-}" ]; then
        say "starting a private MariaDB"
        start_server
        say "loading $TABLES tables of $ROWS rows"
        sysbench oltp_read_only "${sb[@]}" --threads=2 prepare >>"$home/log"
        say "warming up"
        sysbench oltp_read_only "${sb[@]}" --threads=2 --time=2 run >>"$home/log"
    fi ;;
esac
for part_wanted in $PARTS; do "$part_wanted"; done

measured() { # PROGRAMS HOW: what a block opens with
    echo "Measured $(date -u +%Y-%m-%d) on $(nproc) × $(sed -n 's/model name[^:]*: //p' /proc/cpuinfo | head -1), Linux $(uname -r), with"
    echo "$1, MariaDB $(PATH=$PATH:/usr/sbin:/usr/libexec mariadbd --version | grep -o '[0-9.]*-MariaDB[^ ]*');"
    echo "$TABLES tables × $ROWS rows, $2, rounds of $LENGTH s each: $(cut -f1,4 "$home/part.tsv" | sort -u | cut -f1 | uniq -c | awk '{ printf "%s%s %s", (NR == 1 ? "" : ", "), $1, $2 }')."
    echo
}
# Puts $home/table.md between the marks of a block, or at the end of a page that has none.
into_page() { # BLOCK
    grep -q "<!-- $1: begin -->" "$TABLE" 2>/dev/null || printf '<!-- %s: begin -->\n<!-- %s: end -->\n' "$1" "$1" >>"$TABLE"
    awk -v block="$1" -v table="$home/table.md" '
        $0 == "<!-- " block ": begin -->" { print; print ""; while ((getline line <table) > 0) print line; print ""; skip = 1 }
        $0 == "<!-- " block ": end -->" { skip = 0 }
        !skip && $0 != "<!-- " block ": begin -->" { print }' "$TABLE" >"$home/page.md"
    cp "$home/page.md" "$TABLE"
}
# A block without figures stays as it is.
if grep -vE '^(transport|tpcc|lua|postgres|ranks)' "$figures" >"$home/part.tsv"; then
    { measured "$("$ASSAY" --version), $(sysbench --version)" "Unix socket"; awk -v cpus="$(nproc)" -f bench/table.awk "$home/part.tsv"; } >"$home/table.md"
    into_page bench
fi
if grep '^transport' "$figures" >"$home/part.tsv"; then
    { measured "$("$ASSAY" --version)" "io_uring"; awk -v cpus="$(nproc)" -f bench/table.awk "$home/part.tsv"; } >"$home/table.md"
    into_page transport
fi
if grep '^lua' "$figures" >"$home/part.tsv"; then
    { LENGTH=$LUA_LENGTH measured "$("$ASSAY" --version), $(sysbench --version)" "Unix socket"; awk -v cpus="$(nproc)" -f bench/table.awk "$home/part.tsv"; } >"$home/table.md"
    into_page lua
fi
if grep '^tpcc' "$figures" >"$home/part.tsv"; then
    { TABLES=$TPCC_WAREHOUSES ROWS=; measured "$("$ASSAY" --version), $(sysbench --version)" "Unix socket" | sed 's/^[0-9]* tables × *rows/'"$TPCC_WAREHOUSES"' warehouses/'
      awk -v cpus="$(nproc)" -f bench/table.awk "$home/part.tsv"; } >"$home/table.md"
    into_page tpcc
fi
if grep '^postgres' "$figures" >"$home/part.tsv"; then
    { measured "$("$ASSAY" --version), $(sysbench --version), $(pgbench --version)" "Unix socket" | sed 's/, MariaDB [^;]*//'
      awk -v cpus="$(nproc)" -f bench/table.awk "$home/part.tsv"; } >"$home/table.md"
    into_page postgres
fi
if grep '^ranks' "$figures" >"$home/part.tsv"; then
    { measured "$("${RANKS:-$ASSAY}" --version), $(mpirun --version | head -1)" "Unix socket"; awk -v cpus="$(nproc)" -f bench/table.awk "$home/part.tsv"; } >"$home/table.md"
    into_page ranks
fi
mkdir -p target && cp "$figures" target/bench-figures.tsv
say "the table is in $TABLE, every figure in target/bench-figures.tsv"
