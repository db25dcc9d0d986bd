#!/usr/bin/env bash
# What an hour of 5,000 statements a second takes to capture and to read for a replay: 18 million statements of 64
# sessions, made up as MySQL's slow log writes them, a tenth of them writes. Wants 6 GB of disk and the release binary.
#   bench/hour.sh              COUNT=18000000
# It says the most memory of the capture; the replay is left to whoever reads /proc/PID/status (VmHWM) meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
COUNT=${COUNT:-18000000}
ASSAY=${ASSAY:-target/release/assay}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v n="$COUNT" 'BEGIN {
    srand(7); base = 1764144000
    print "/usr/sbin/mysqld, Version: 8.0.40 (MySQL Community Server - GPL). started with:"
    print "Tcp port: 3306  Unix socket: /run/s"
    print "Time                 Id Command    Argument"
    for (i = 0; i < n; i++) {
        us += 200; s = int(us / 1000000); c = int(rand() * 4000); r = rand(); rows = 1
        if (r < 0.7) q = "SELECT balance FROM customer WHERE id = " c
        else if (r < 0.8) { q = "SELECT id FROM item WHERE a = " (c % 500); rows = 8 }
        else if (r < 0.9) q = "SELECT quantity FROM stock WHERE w = " (c % 4) " AND i = " int(c / 16)
        else { q = "UPDATE stock SET quantity = quantity + 1 WHERE w = " (c % 4) " AND i = " int(c / 16); rows = 0 }
        printf "# Time: 2025-11-26T%02d:%02d:%02d.%06dZ\n# User@Host: app[app] @ localhost []  Id: %5d\n", 8 + int(s / 3600),
            int(s / 60) % 60, s % 60, us % 1000000, 1 + int(rand() * 64)
        printf "# Query_time: 0.000150  Lock_time: 0.000001 Rows_sent: %d  Rows_examined: 1\nuse shop;\n", rows
        printf "SET timestamp=%d;\n%s;\n", base + s, q
    }
}' >"$work/slow.log"
python3 - "$ASSAY" capture --slow-log "$work/slow.log" --out "$work/trace" <<'PY'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{used.ru_utime + used.ru_stime:.0f} s of CPU, at most {used.ru_maxrss / 1024:.0f} MiB")
PY
du -sh "$work/trace"
"$ASSAY" upgrade --from distribution --to distribution --trace "$work/trace" --data experiments/upgrade/shop.sql \
    --pairs 1 --pace fast --out "$work/upgrade"
