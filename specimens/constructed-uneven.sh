# The twin's runs take three times as long for the same work, and one run of another cell four times as long.
carry_out() {
    edit healthy <<'PY'
for run in runs:
    longer = 3.0 if run["cell"] == "c007" else 4.0 if run["id"] == "c002-2" else 1.0
    for phase in run["phases"]:
        phase["to"] = int(phase["from"] + longer * (phase["to"] - phase["from"]))
PY
}
