#!/usr/bin/env python3
"""How near healthy records come to the limits of checks, by machine: trust/margins.py FOLDER...

Each FOLDER is a record of which nothing is wrong: an A/A record that `KEEP=FOLDER make aa` kept, or an unpacked specimen
called healthy. Each is judged once more. Of every check that measures a share and holds it against one there is a line: what
it measured in the middle, at the 95th percentile and at most, and its limit in the words of a verdict. A limit in the middle
of what healthy machines do is wrong; one far beyond it says nothing of harm that is smaller.

  TABLE=FILE      where the table goes (docs/trust.md)
"""

import json, re, subprocess, sys
from collections import Counter, defaultdict
from pathlib import Path

import page
from common import ASSAY, PAGE, verdicts

SHARE = re.compile(r"([\d.]+(?:e-?\d+)?) %")


def share(text):
    found = SHARE.search(text)
    return float(found[1]) if found else None


def machine(record):
    host = json.loads((record / "host.json").read_text())
    numbers = host["facts"].get("cpu")
    return f"{len(host['cpus'])} × {host['cpu_model']}" + (f" ({numbers})" if numbers else "")


def judged(record):
    subprocess.run([ASSAY, "report", str(record)], capture_output=True)
    return json.loads((record / "report.json").read_text())


def table(records):
    seen, limits, machines = defaultdict(lambda: defaultdict(list)), defaultdict(Counter), Counter()
    for record in records:
        where = machine(record)
        machines[where] += 1
        for verdict in verdicts(judged(record)):
            measured = share(verdict["measured"]) if SHARE.match(verdict["measured"]) else None
            if measured is not None and share(verdict["limit"]) is not None:
                seen[verdict["check"]][where].append(measured)
                limits[verdict["check"]][verdict["limit"]] += 1
    names = sorted(machines)
    lines = [
        "; ".join(f"{machines[name]} records of {name}" for name in names) + ".",
        "",
        "| check | " + " | ".join(f"{name}: verdicts, middle, 95 %, most" for name in names) + " | limit |",
        "|---|" + "---|" * len(names) + "---|",
    ]
    for check in sorted(seen):
        cells = []
        for name in names:
            values = sorted(seen[check][name])
            at = lambda part: values[min(len(values) - 1, int(part * len(values)))]
            cells.append(f"{len(values)}: {at(0.5):.2g}, {at(0.95):.2g}, {values[-1]:.2g} %" if values else "–")
        (usual, _), *_ = limits[check].most_common(1)
        lines.append(f"| `{check}` | " + " | ".join(cells) + f" | {usual} |")
    return "\n".join(lines)


if __name__ == "__main__":
    records = [Path(name) for name in sys.argv[1:]]
    if not records:
        raise SystemExit(__doc__)
    page.put(PAGE, "margins", table(records))
