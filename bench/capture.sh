#!/usr/bin/env bash
# What capturing costs: queries per second of 64 users through `assay capture --proxy` against a proxy that only moves
# bytes, on the same host and server, in interleaved pairs. Wants sysbench, the release binary and the example.
#   bench/capture.sh              PAIRS=5 SECONDS_EACH=8 USERS=64
set -euo pipefail
cd "$(dirname "$0")/.."
PAIRS=${PAIRS:-5}
SECONDS_EACH=${SECONDS_EACH:-8}
USERS=${USERS:-64}
ASSAY=${ASSAY:-target/release/assay}
PLAIN=${PLAIN:-target/release/examples/plain_proxy}
work=$(mktemp -d)
export ASSAY_HOME=$work/home XDG_RUNTIME_DIR=$work
socket=$("$ASSAY" servers start distribution --detach | sed -n 's/.* serves at //p')
proxies=""
end() {
    # Programs in the background do not hear SIGINT.
    [ -z "$proxies" ] || kill -TERM $proxies 2>/dev/null || true
    wait || true
    "$ASSAY" servers stop distribution >/dev/null
    rm -rf "$work"
}
trap end EXIT
mariadb --no-defaults -S "$socket" -u root -e "CREATE DATABASE sbtest; CREATE USER u@localhost; GRANT ALL ON *.* TO u@localhost"
common="--db-driver=mysql --mysql-user=u --mysql-db=sbtest --tables=4 --table-size=10000"
sysbench oltp_read_only $common --mysql-socket="$socket" prepare >/dev/null
"$PLAIN" 127.0.0.1:13308 "$socket" & proxies=$!
"$ASSAY" capture --proxy 127.0.0.1:13309 --to "mysql://u@localhost/?socket=$socket" --out "$work/trace" >"$work/said" 2>&1 &
proxies="$proxies $!"
sleep 1
qps() { # qps PORT SCRIPT
    sysbench "$2" $common --mysql-host=127.0.0.1 --mysql-port="$1" --threads="$USERS" --time="$SECONDS_EACH" \
        --mysql-ssl=off run 2>/dev/null | sed -n 's/.*queries: .*(\(.*\) per sec.*/\1/p'
}
for script in ${SCRIPTS:-oltp_point_select oltp_read_write}; do
    for pair in $(seq "$PAIRS"); do
        # Which of the two comes first changes, so that neither has the warmer server.
        if [ $((pair % 2)) = 1 ]; then plain=$(qps 13308 $script); ours=$(qps 13309 $script)
        else ours=$(qps 13309 $script); plain=$(qps 13308 $script); fi
        awk -v s=$script -v p="$plain" -v o="$ours" 'BEGIN { printf "%s plain %.0f capture %.0f ratio %.4f\n", s, p, o, o / p }'
    done
done | tee "$work/pairs"
awk '{ n[$1]++; l[$1] += log($7); q[$1] += log($7)^2 } END { for (s in n) { m = l[s] / n[s]
    sd = n[s] > 1 ? sqrt((q[s] - n[s] * m * m) / (n[s] - 1) / n[s]) : 0
    printf "%s: %.1f %% of the plain proxy'"'"'s queries per second (standard error %.1f %%, %d pairs)\n", s, 100 * exp(m), 100 * sd, n[s] } }' "$work/pairs"
