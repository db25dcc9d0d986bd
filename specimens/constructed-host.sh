# A virtual machine that another one takes a twentieth of the time from, at the end of a full link. Neither is to be had here.
carry_out() {
    edit healthy-calm <<'PY'
for cell in plan["cells"]:
    cell["server"]["on"] = "mysql://root@far.example/"
for instance in instances:
    instance["cpus"] = []
for run in runs:
    run["session"]["transport"] = "tcp plain"
    for phase in (p for p in run["phases"] if "counters" in p):
        counters = phase["counters"]
        begin, end, *at = counters["host.cpu.total"]
        counters["host.cpu.steal"][1] += 0.05 * (end - begin)
        seconds = (at[1] - at[0]) / 1e9
        counters["host.net.link"] = [1.25e8, 1.25e8, *at]
        counters["host.net.received_bytes"] = [0.0, 1.2e8 * seconds, *at]
        counters["host.net.sent_bytes"] = [0.0, 1e7 * seconds, *at]
PY
}
