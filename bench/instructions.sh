#!/usr/bin/env bash
# Instructions of assay's own code per operation of the canary, counted by callgrind on the worker's thread and compared with
# the number kept in bench/instructions.txt, so that a change of the hot path shows where times cannot. The kernel's
# instructions are not in it. The machine should be quiet: a count that the second cuts short is off by hundreds. `bench/instructions.sh --keep` writes a new baseline, which belongs in the commit that moved it.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "needs valgrind (apt-get install valgrind)" >&2; exit 2; }

# Ten times what two counts of the same binary differ by.
TOLERANCE=3
# So few that most counts end before the first second of the load, when tallies are handed over and cleared; the smallest of
# several is taken, because some do not.
FEW=500 MANY=2500 TIMES=5
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
    # The conductor's thread never sees a reply.
    grep -l 'mysql::reply' "$folder/$1"-* | xargs sed -n 's/^totals: *//p'
    rm -f "$folder/$1"*
}
smallest() { for _ in $(seq $TIMES); do count "$1"; done | sort -n | head -1; }
few=$(smallest $FEW)
many=$(smallest $MANY)
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
