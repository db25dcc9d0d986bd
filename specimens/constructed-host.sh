# A virtual machine that another one takes a twentieth of the time from, at the end of a full link, which slows down while it is
# measured, with a clock that only the kernel reads, and a sampler that takes 3 % of a CPU.
carry_out() {
    edit healthy-calm <<'PY'
for cell in plan["cells"]:
    cell["server"]["on"] = "mysql://root@far.example/"
for instance in instances:
    instance["cpus"] = []
host["clock_source"] = "acpi_pm"
for run in runs:
    for pulse in run["around"]["pulses"]:
        pulse["integer_per_s"] = 1e9
    run["session"]["transport"] = "tcp plain"
    for phase in (p for p in run["phases"] if "counters" in p):
        counters = phase["counters"]
        begin, end, *at = counters["host.cpu.total"]
        counters["host.cpu.steal"][1] += 0.05 * (end - begin)
        seconds = (at[1] - at[0]) / 1e9
        counters["sampler.cpu"][1] += 0.03 * (at[1] - at[0])
        counters["host.net.link"] = [1.25e8, 1.25e8, *at]
        counters["host.net.received_bytes"] = [0.0, 1.2e8 * seconds, *at]
        counters["host.net.sent_bytes"] = [0.0, 1e7 * seconds, *at]
runs[0]["around"]["pulses"][1]["integer_per_s"] = runs[1]["around"]["pulses"][0]["integer_per_s"] = 0.7e9
PY
}
