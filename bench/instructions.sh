#!/usr/bin/env bash
# Instructions of assay's own code per operation of the canary, counted by callgrind in its user's turns and compared with
# the number kept in bench/instructions.txt, so that a change of the hot path shows where times cannot. The kernel's
# instructions are not in it. `bench/instructions.sh --keep` writes a new baseline, which belongs in the commit that moved it.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "needs valgrind (apt-get install valgrind)" >&2; exit 2; }

# Several times what two counts of the same binary differ by (2068, 2075, 2077 on a busy machine).
TOLERANCE=3
FEW=500 MANY=2500
baseline=bench/instructions.txt
target=${CARGO_TARGET_DIR:-target}
folder=$(mktemp -d "${TMPDIR:-/tmp}/assay-instructions.XXXXXX")
sham=""
trap '[ -z "$sham" ] || kill "$sham"; rm -rf "$folder"' EXIT

# callgrind hides the kernel's vDSO, which rustix would call directly; through libc it does not.
RUSTFLAGS="--cfg rustix_use_libc" cargo build --quiet --release --locked -p lab --example instructions --target-dir "$target/callgrind"
cargo build --quiet --release --locked -p lab --example sham
"$target"/release/examples/sham "$folder/s" &
sham=$!
until [ -S "$folder/s" ]; do sleep 0.1; done
count() { # OPERATIONS: instructions of the thread that carried them out
    valgrind --quiet --tool=callgrind --separate-threads=yes --callgrind-out-file="$folder/$1" \
        "$target"/callgrind/release/examples/instructions "$folder/s" "$1" >"$folder/said" 2>&1 || { cat "$folder/said" >&2; return 1; }
    # The conductor's thread never sees a reply. Of the worker's only what its user does in its turns is counted, from one end of an
    # answer to the next request in the ring: how often the worker wakes for clocks and seconds depends on the machine's mood.
    callgrind_annotate --inclusive=yes --threshold=100 "$(grep -l 'mysql::reply' "$folder/$1"-*)" 2>/dev/null |
        awk '/user::live::/ { gsub(",", "", $1); if ($1 + 0 > most) most = $1 + 0 } END { print most + 0 }'
    rm -f "$folder/$1"*
}
few=$(count $FEW)
many=$(count $MANY)
now=$(((many - few) / (MANY - FEW)))
if [ "${1:-}" = --keep ]; then
    echo "$now instructions per operation, noop, 1 user, io_uring, $(rustc --version)" >$baseline
    cat $baseline
    exit
fi
kept=$(sed 's/ .*//' $baseline)
echo "$now instructions per operation; kept: $(cat $baseline)"
change=$((100 * (now - kept) / kept))
[ "$change" -le $TOLERANCE ] && [ "$change" -ge -$TOLERANCE ] || {
    echo "that is $change %: find the reason, then bench/instructions.sh --keep" >&2
    exit 1
}
