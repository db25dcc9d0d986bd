# Three ranks beside one process, through the same server, each asking for the same point selects with as many users in all: what
# leading, telling and merging cost. On one machine ranks have no more CPUs than one process has, so they cannot be faster. Part of
# bench/run.sh.
#
#   PARTS=ranks RANKS=FILE bench/run.sh     FILE: a release build with the feature `mpi` (docs/ranks.md), for one process too
RANKS_LEVELS=${RANKS_LEVELS:-64}

run_ranks() { # NAME COMMAND_BEFORE...
    local name=$1 status=0
    shift
    rm -rf "$home/record"
    "$@" "$RANKS" run "$home/ranks.toml" --on "$dsn" --set load.users="$users" --json --out "$home/record" \
        >"$home/out" 2>>"$home/log" </dev/null || status=$?
    [ $status -le 1 ] || return $status
    figure "$name" qps "$(number qps "$home/out")"
}

ranks() {
    part=ranks
    [ -x "${RANKS:-}" ] && command -v mpirun >/dev/null || { say "ranks: needs mpirun, and RANKS=FILE, a build with the feature mpi"; return; }
    RANKS=$(realpath "$RANKS")
    cat >"$home/ranks.toml" <<TOML
question = "What does it cost to be three ranks?"
[workload.oltp.point_selects]
tables       = $TABLES
rows         = $ROWS
distribution = "uniform"
[load]
users   = ${RANKS_LEVELS%% *}
warm_up = "300ms"
measure = "${LENGTH}s"
[repeat]
repetitions = 1
aa          = false
TOML
    for round in $(rounds "$RANKS_LEVELS" "$ROUNDS"); do
        for users in $RANKS_LEVELS; do
            say "ranks, round $round, $users connections"
            run_ranks "one process"
            run_ranks "three ranks" mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3
        done
    done
}
