#!/usr/bin/env python3
"""How often the judgement alarms where nothing is wrong: `make aa`.

A record here is of one workload in cells that differ in one number that nobody meets (how many prepared statements all
sessions may hold), so that its servers are restarted as for any axis, and one cell has its A/A twin. Every check that
fails or warns, every number that is struck and every difference that is claimed is a false alarm, unless the machine had
other work, which the checks of the machine are right to say. Half of the workloads read and half write.

  RECORDS=10      so many records, one workload after the other
  MINUTES=10      begins no further one after so long
  FIGURES=FILE    keeps what all calls found (target/aa.jsonl);  PARTS=none writes only the table
  KEEP=FOLDER     keeps the records there;  PARTS=judge asks the program once more what it says of those
  TABLE=FILE      where the table goes (docs/trust.md)
"""

import json, os, shutil, subprocess, tempfile, time
from collections import Counter
from pathlib import Path

import page
from common import ASSAY, PAGE, Figures, commit, say, verdicts

FIGURES = Figures("aa.jsonl")
WORKLOADS = ["point_selects", "update_non_index", "mixed", "read_write", "random_points",
             "update_index", "random_ranges", "write_only", "simple_ranges", "insert"]

EXPERIMENT = """question = "Does anything differ?"

[axes]
settings.prepared_statement_limit = [1_000_000, 1_000_001]

# On few CPUs the kernel puts a session and its user on one of them or on two, and a rate doubles or halves within a run.
[server]
cpus = "half"

[server.settings]
buffer_pool     = "64 MiB"
redo            = "64 MiB"
flush_at_commit = 1

[workload.oltp.{workload}]
rows = 10_000

[load]
users   = 4
warm_up = "500ms"
measure = "4s"

[repeat]
repetitions = 5
aa          = true
"""


def record(workload, folder):
    folder.mkdir()
    (folder / "q.toml").write_text(EXPERIMENT.format(workload=workload))
    base = {"at": time.strftime("%Y-%m-%d %H:%M", time.gmtime()), "busy": round(os.getloadavg()[0], 1), "commit": commit()}
    begun = time.monotonic()
    done = subprocess.run([ASSAY, "run", "q.toml", "--out", "record"], cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{workload}: exit status {done.returncode}: {done.stderr[-500:]}")
    seconds = round(time.monotonic() - begun, 1)
    place = folder / "record"
    if kept := os.environ.get("KEEP"):
        place = Path(kept).resolve() / f"aa-{time.strftime('%d-%H%M%S')}-{workload}"
        shutil.copytree(folder / "record", place, symlinks=True)
    return base | {"workload": workload, "seconds": seconds, "record": str(place)} | counted(place)


def counted(place):
    report = json.loads((place / "report.json").read_text())
    checks = {}
    cells = report["cells"]
    for verdict in verdicts(report):
        checks.setdefault(verdict["check"], Counter())[verdict["verdict"]] += 1
    status = Counter(cell["status"] for cell in cells)
    compared = report.get("comparisons", [])
    told = [v for c in cells for v in c["verdicts"] if v["verdict"] in ("warn", "fail")]
    return {"numbers": len(cells), "struck": status["fail"], "clean": status["pass"], "comparisons": len(compared),
            "differences": sum(is_claimed(one) for one in compared), "checks": checks,
            "told": sorted({(v["check"], v["verdict"], v["sentence"]) for v in told})}


def judge_again():
    """What this program says of the records that were kept: for a judge that changed since."""
    anew = []
    for figure in FIGURES.all():
        place = Path(figure["record"])
        if (place / "plan.json").exists():
            subprocess.run([ASSAY, "report", str(place)], capture_output=True)
            figure |= counted(place) | {"judged": commit()}
        anew.append(figure)
    FIGURES.replace(anew)


def is_claimed(comparison):
    return comparison["outcome"] in ("better", "worse")


def main():
    if os.environ.get("PARTS") == "judge":
        judge_again()
    elif os.environ.get("PARTS") != "none":
        until = time.monotonic() + 60 * float(os.environ.get("MINUTES", "1000"))
        home = Path(tempfile.mkdtemp(prefix="assay-aa."))
        try:
            had = len(FIGURES.all())
            for number in range(had, had + int(os.environ.get("RECORDS", "10"))):
                if time.monotonic() > until:
                    break
                workload = WORKLOADS[number % len(WORKLOADS)]
                figure = record(workload, home / str(number))
                told = sorted({check for check, _, _ in figure["told"]})
                say(f"{workload}: {figure['struck']} of {figure['numbers']} struck, {figure['seconds']:.0f} s, {', '.join(told)}")
                FIGURES.add(figure)
                shutil.rmtree(home / str(number), ignore_errors=True)
        finally:
            shutil.rmtree(home, ignore_errors=True)
    page.put(PAGE, "aa", page.alarms(FIGURES.all()))


if __name__ == "__main__":
    main()
