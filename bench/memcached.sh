#!/usr/bin/env bash
# What a get costs the client beside the floor of the same kind (floor.c in memcached's text), both ways of talking to the kernel, in
# interleaved rounds on private memcacheds; and how many keys a second come by gets of a hundred keys, several under way. Prints a line
# for each, and the medians of the ratios at the end. Nothing here has a time that it must reach.
#
# Where other tools are there (MEMTIER and CRUSHER name them; no distribution has them), their gets a second by one thread and by two are
# laid beside assay's over as many users, the same keys and value size and the same kind of socket. What they reach is read from the
# server's own count of gets while they are under way, as is CPU per get of client and server, since one of them counts nothing itself.
#
#   ROUNDS=5 LENGTH=4 USERS=64 ASSAY=target/release/assay MEMTIER=memtier_benchmark CRUSHER=mc-crusher bench/memcached.sh
set -euo pipefail
cd "$(dirname "$0")/.."

ROUNDS=${ROUNDS:-5} LENGTH=${LENGTH:-4} USERS=${USERS:-64} KEYS=${KEYS:-20000} ASSAY=${ASSAY:-target/release/assay} MEMTIER=${MEMTIER:-memtier_benchmark} CRUSHER=${CRUSHER:-mc-crusher}
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
ticks() { # PID: µs of CPU that it has used
    sed 's/.*) //' "/proc/$1/stat" | awk -v hz="$(getconf CLK_TCK)" '{print ($12 + $13) * 1e6 / hz}'
}
gets() { # what the server has answered
    perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Peer => shift) or die; print $s "stats\r\n"; while (<$s>) {print "$1\n" if /cmd_get (\d+)/; last if /^END/}' "$home/s"
}
read_now() { echo "$(date +%s%N) $(gets) $(ticks "$1") $(ticks "$cache")"; }
beside() { # NAME COMMAND...: gets/s and CPU of a tool that is under way
    local name=$1 tool before
    shift
    "$@" >/dev/null 2>&1 &
    tool=$!
    sleep 0.5
    before=$(read_now "$tool")
    sleep "$LENGTH"
    echo "$before $(read_now "$tool")" | awk -v name="$name" '{n = $6 - $2; printf "%s: %d gets/s, client %.2f µs a get, server %.2f\n", name, n * 1e9 / ($5 - $1), ($7 - $3) / n, ($8 - $4) / n}'
    kill "$tool" 2>/dev/null || true
    wait "$tool" 2>/dev/null || true
}
memtier() { # ARGUMENTS...
    exec "$MEMTIER" -S "$home/s" -P memcache_text --key-prefix= --key-minimum=1 --key-maximum="$KEYS" --hide-histogram "$@"
}
others() { # ROUND: every tool that is here, by one thread and by two
    local threads
    for threads in 1 2; do
        ! command -v "$MEMTIER" >/dev/null ||
            beside "$1 memtier_benchmark of $threads threads" memtier -t "$threads" -c $((USERS / threads)) --ratio=0:1 --key-pattern=R:R --test-time=60
        ! command -v "$CRUSHER" >/dev/null || {
            echo "send=ascii_get,recv=blind_read,thread=$threads,conns=$((USERS / threads)),key_prefix=,key_count=$KEYS,live_rand=1" >"$home/crusher"
            beside "$1 mc-crusher of $threads threads" "$CRUSHER" --conf "$home/crusher" --sock "$home/s"
        }
    done
}
# The keys that the floor and others ask for; assay sets its own.
awk -v n="$KEYS" 'BEGIN {v = sprintf("%119s", ""); gsub(" ", "x", v); for (k = 0; k <= n; k++) printf "set %d 0 0 119\r\n%s\r\n", k, v; printf "quit\r\n"}' |
    perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Peer => shift) or die; if (fork) {print $s $_ while <STDIN>; $s->flush; wait} else {1 while <$s>}' "$home/s"
for round in $(seq "$ROUNDS"); do
    for io in epoll io_uring; do
        floor=$("$home/floor" "$io" "$home/s" memcached 0 "$KEYS" "$USERS" "$LENGTH" | sed 's/.*client_cpu_us_per_statement":\([0-9.]*\).*/\1/')
        assay --users "$USERS" --set load.io="$io"
        cpu=$(metric client_cpu_us_per_statement)
        echo "$round $io floor $floor assay $cpu µs a get, ratio $(awk "BEGIN {print $cpu / $floor}")"
        echo "$round assay on $io: $(metric qps) gets/s, client $cpu µs a get, server $(metric server_cpu_us_per_statement)"
    done
    others "$round"
    assay --users 8 --set workload.kv.keys_per_get=100 --set workload.kv.memcached.depth=8
    echo "$round hundred keys a get, eight gets under way, eight users: $(metric keys_per_s) keys/s"
done | tee "$home/lines"
middle() { # PATTERN EXPRESSION: median and range of what sed's expression takes from its lines
    grep "$1" "$home/lines" | sed "$2" | sort -n | awk '{r[NR] = $1} END {if (NR) print r[int((NR + 1) / 2)] " (" r[1] " to " r[NR] ")"}'
}
for io in epoll io_uring; do
    echo "median ratio by $io: $(middle " $io floor " 's/.*ratio //')"
done
for who in 'assay on epoll' 'assay on io_uring' 'memtier_benchmark of 1' 'memtier_benchmark of 2' 'mc-crusher of 1' 'mc-crusher of 2'; do
    ! grep -q "$who" "$home/lines" ||
        echo "median of $who: $(middle "$who" 's/.*: \([0-9.]*\) gets.*/\1/') gets/s, client $(middle "$who" 's/.*client \([0-9.]*\) .*/\1/') µs, server $(middle "$who" 's/.*server //') µs"
done
echo "median of hundred keys a get: $(middle hundred 's/.*: \([0-9.]*\) keys.*/\1/') keys/s"
