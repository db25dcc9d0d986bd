#!/bin/bash
# Records specimens anew, each on a private server of the distribution's MariaDB: specimens/make.sh NAME..., or all of them.
# NAME.toml is the question; where the illness comes from outside of it, NAME.sh brings it, with the words below. `carry_out`
# makes the record (once over NAME.toml unless NAME.sh says otherwise), and `beside` does its harm meanwhile. What a reader of the
# record never opens (reports, logs) is left out, and the rest is kept as NAME.tar.xz. Root is needed for cgroups (version 1).
#
# Afterwards: SPECIMENS=write cargo test -p assay --test specimens, and look at what changed in matrix.txt.
set -euo pipefail
cd "$(dirname "$0")"
assay=$(realpath "${ASSAY:-../target/release/assay}")
work=$(mktemp -d "${TMPDIR:-/tmp}/specimens.XXXXXX")
export ASSAY_HOME=${SPECIMENS_HOME:-$work/home} XDG_RUNTIME_DIR=$work
# Where other sessions share the CPUs, this one comes first: their work would stand in every record.
[ ! -w /proc/self/autogroup ] || echo -20 >/proc/self/autogroup
trap 'jobs -p | xargs -r kill 2>/dev/null; rm -rf "$work"' EXIT

# A check that fails is what specimens are for.
ask() { "$assay" run "$@" || [ $? -eq 1 ]; }
# await KIND [N]: until the record has told so many events of a kind.
await() { until [ "$(grep -sc "\"kind\":\"$1\"" "$record/notes.jsonl" || [ -e "$record" ] || echo 0)" -ge "${2:-1}" ] 2>/dev/null; do sleep 0.01; done; }
# begun RUN, over RUN: until that run has begun, is over.
begun() { until grep -q "\"kind\":\"run_started\",\"run\":\"$1\"" "$record/notes.jsonl" 2>/dev/null; do sleep 0.01; done; }
over() { until [ -e "$record/runs/$1/run.json" ]; do sleep 0.01; done; }
# The private server's and the lab's process, and a session with the server.
server() { grep -slF "$ASSAY_HOME/instances" /proc/[0-9]*/cmdline | cut -d/ -f3 | while read -r pid; do
    tr '\0' ' ' <"/proc/$pid/cmdline" | grep -qE '__guard|grep' || echo "$pid"; done | head -1; }
lab() { grep -slF "$record" /proc/[0-9]*/cmdline | cut -d/ -f3 | while read -r pid; do
    [ "$(readlink "/proc/$pid/exe")" = "$assay" ] && echo "$pid"; done | head -1; }
sql() { mariadb --no-defaults --user=root --skip-ssl --socket="$(ls "$work"/assay-*/s | head -1)" --batch --skip-column-names "$@"; }
table() { sql --execute "SELECT CONCAT(table_schema, '.sbtest1') FROM information_schema.tables WHERE table_name = 'sbtest1'"; }
# A server that was there before the lab, reached by $dsn; gone ends it.
by_hand() {
    "$assay" servers start distribution --detach
    dsn="mysql://root@localhost/?socket=$(ls "$work"/assay-*/s)"
}
gone() { "$assay" servers stop distribution; }
# edit NAME: the record of another specimen, changed by the Python on standard input, which finds in it `plan`, `host`, `instances` and `runs`.
edit() {
    tar --extract --xz --file "$1.tar.xz" --directory "$work"
    mv "$work/$1" "$record"
    cat >"$work/edit.py"
    python3 - "$record" "$work/edit.py" <<'PY'
import glob, json, sys
record, edit = sys.argv[1:]
def load(pattern): return {path: json.load(open(path)) for path in sorted(glob.glob(f"{record}/{pattern}"))}
files = [load("plan.json"), load("host.json"), load("instances/*.json"), load("runs/*/run.json")]
(plan,), (host,), instances, runs = (list(part.values()) for part in files)
exec(open(edit).read())
for path, value in [item for part in files for item in part.items()]:
    json.dump(value, open(path, "w"), indent=1)
PY
}
# hog CPU...: a process that spends each of these CPUs; its number is in $hogs.
hog() { hogs=""; for cpu in "$@"; do taskset -c "$cpu" sh -c 'while :; do :; done' & hogs="$hogs $!"; done; }
# within CONTROLLER FILE=VALUE PID: puts a process, with all its threads, into a control group of that limit.
within() {
    local group=/sys/fs/cgroup/$1/specimen
    mkdir -p "$group"
    echo "${2#*=}" >"$group/${2%%=*}"
    echo "$3" >"$group/cgroup.procs"
}

make() {
    record=$work/$1
    carry_out() { ask "$1.toml" --out "$record"; }
    beside() { :; }
    [ ! -e "$1.sh" ] || . "./$1.sh"
    (beside "$1") &
    harm=$!
    carry_out "$1" >"$work/said" 2>&1 || { cat "$work/said"; return 1; }
    wait $harm
    rm -rf "$record"/{report.*,next,.lock} "$record"/instances/*/
    tar --create --xz --sort=name --owner=0 --group=0 --numeric-owner --file "$1.tar.xz" --directory "$work" "$1"
    rmdir /sys/fs/cgroup/{cpu,blkio,memory}/specimen 2>/dev/null || true
    echo "$1: $(du -k "$1.tar.xz" | cut -f1) KiB"
}

# What is edited comes after what it is made from.
[ $# -gt 0 ] || set -- $(ls *.toml | grep -v ^constructed) constructed-*.toml
for name in "$@"; do make "${name%.toml}"; done
