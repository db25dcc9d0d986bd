#!/usr/bin/env bash
# What a get costs the client beside the floor of the same kind (floor.c in memcached's text), both ways of talking to the kernel, in
# interleaved rounds on private memcacheds; and how many keys a second come by gets of a hundred keys, several under way. Prints a line
# for each, and the medians of the ratios at the end. Nothing here has a time that it must reach.
#
# Where memtier_benchmark is there (MEMTIER names it; it is in no distribution), its gets a second by one thread and by two are laid beside
# assay's over the same users, keys and socket.
#
#   ROUNDS=5 LENGTH=4 USERS=64 ASSAY=target/release/assay MEMTIER=memtier_benchmark bench/memcached.sh
set -euo pipefail
cd "$(dirname "$0")/.."

ROUNDS=${ROUNDS:-5} LENGTH=${LENGTH:-4} USERS=${USERS:-64} KEYS=${KEYS:-20000} ASSAY=${ASSAY:-target/release/assay} MEMTIER=${MEMTIER:-memtier_benchmark}
home=$(mktemp -d "${TMPDIR:-/tmp}/assay-bench.XXXXXX")
cache=""
finish() { [ -z "$cache" ] || kill "$cache" 2>/dev/null || true; rm -rf "$home"; }
trap finish EXIT
export ASSAY_HOME=$home/house XDG_RUNTIME_DIR=$home
gcc -O2 -o "$home/floor" bench/floor.c -luring
memcached -u "$(id -un)" -s "$home/s" -U 0 -t 4 -c 2000 -m 256 &
cache=$!
until [ -S "$home/s" ]; do sleep 0.1; done

metric() { # NAME: its value in the output of assay bench --json
    grep -o "\"$1\":{[^}]*\"value\":[0-9.]*" "$home/out" | head -1 | sed 's/.*://'
}
assay() { # ARGUMENTS...
    rm -rf "$home/record"
    "$ASSAY" bench kv.memcached --on memcached --for "${LENGTH}s" --set load.warm_up=300ms --set workload.kv.keys="$KEYS" --set load.transport=unix \
        --set server.settings.buffer_pool=268435456 --json --out "$home/record" "$@" >"$home/out" 2>"$home/log" || [ $? = 1 ]
}
memtier() { # ARGUMENTS...: what it says of its gets
    "$MEMTIER" -S "$home/s" -P memcache_text --key-prefix= --key-minimum=1 --key-maximum="$KEYS" --hide-histogram "$@" 2>/dev/null | awk '$1 == "Gets" {print $2; exit}'
}
others=""
if command -v "$MEMTIER" >/dev/null; then
    others="1 2"
    memtier -t 1 -c 1 -n "$KEYS" -d 119 --ratio=1:0 --key-pattern=S:S >/dev/null
fi
for round in $(seq "$ROUNDS"); do
    for io in epoll io_uring; do
        floor=$("$home/floor" "$io" "$home/s" memcached 0 "$KEYS" "$USERS" "$LENGTH" | sed 's/.*client_cpu_us_per_statement":\([0-9.]*\).*/\1/')
        assay --users "$USERS" --set load.io="$io"
        cpu=$(metric client_cpu_us_per_statement)
        echo "$round $io floor $floor assay $cpu µs a get, ratio $(awk "BEGIN {print $cpu / $floor}"), $(metric qps) gets/s"
    done
    for threads in $others; do
        gets=$(memtier -t "$threads" -c $((USERS / threads)) --ratio=0:1 --key-pattern=R:R --test-time="$LENGTH")
        echo "$round memtier_benchmark of $threads threads: $gets gets/s, of which assay has $(awk "BEGIN {print $(metric qps) / $gets}") times"
    done
    assay --users 8 --set workload.kv.keys_per_get=100 --set workload.kv.memcached.depth=8
    echo "$round hundred keys a get, eight gets under way, eight users: $(metric keys_per_s) keys/s"
done | tee "$home/lines"
for io in epoll io_uring; do
    grep " $io " "$home/lines" | sed 's/.*ratio \([0-9.]*\),.*/\1/' | sort -n | awk -v io=$io '{r[NR] = $1} END {print "median ratio by " io ": " r[int((NR + 1) / 2)] " (" r[1] " to " r[NR] ")"}'
done
