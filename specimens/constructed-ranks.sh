# Three processes drive one load: the third begins 0.3 s late, from a host at the end of a longer way, with a clock that is being set.
carry_out() {
    edit healthy-calm <<'PY'
def scaled(histogram, by):
    pairs = [pair.split(":") for pair in histogram.split()]
    return " ".join(":".join([str(int(step) * by), *count]) for step, *count in pairs)
for run in runs:
    measured = [phase for phase in run["phases"] if phase["kind"] == "measure"][-1]
    (operation,) = measured["groups"]["users"]["tally"]["operations"].values()
    for number, (skew, by, quarter, gained) in enumerate([(100_000, 1, 60_000, 0), (150_000, 1, 61_000, 900), (300_000_000, 3, 900_000, 2_000_000)]):
        trips = {"requests": 200, "quarter": quarter, "median": quarter, "p95": 2 * quarter, "connect": 5 * quarter}
        rank = {"rank": number, "host": f"h{number}", "pid": 100 + number, "is_beside_leader": number == 0, "users": 1, "workers": 1, "cpus": [0],
                "start_skew_ns": skew, "worker_cpu": 10**9, "busiest_worker": 10**9, "lived": 4 * 10**9, "stolen": 0.0, "timer_error": "50000:100",
                "scheduling": "ordinary", "latency": scaled(operation["latency"], by), "way": {"request": "SELECT 1", "before": trips, "after": trips}}
        if number:
            rank["clock"] = {"ahead_before_ns": 5_000_000, "within_before": 20_000, "ahead_after_ns": 5_000_000 + 4 * gained, "within_after": 20_000,
                             "drift_ns_per_s": float(gained)}
        run.setdefault("ranks", []).append(rank)
PY
}
