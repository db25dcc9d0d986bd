"""What both programs of this folder need: where the product lies, and the files in which figures of many calls are kept."""

import json, os, subprocess, sys, time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
ASSAY = os.environ.get("ASSAY", str(TOP / "target/release/assay"))
PAGE = Path(os.environ.get("TABLE", TOP / "docs/trust.md"))


def say(text):
    print(time.strftime("%H:%M:%S"), text, file=sys.stderr, flush=True)


def commit():
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=TOP, capture_output=True, text=True)
    return os.environ.get("COMMIT", done.stdout.strip())


class Figures:
    """One JSON object a line: FIGURES=FILE, or a file of the program's own in target/."""

    def __init__(self, name):
        self.file = Path(os.environ.get("FIGURES", TOP / "target" / name))

    def all(self):
        return [json.loads(line) for line in self.file.read_text().splitlines()] if self.file.exists() else []

    def add(self, figure):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with open(self.file, "a") as file:
            file.write(json.dumps(figure, ensure_ascii=False) + "\n")

    def replace(self, figures):
        self.file.write_text("".join(json.dumps(figure, ensure_ascii=False) + "\n" for figure in figures))


def verdicts(report):
    """Those of cells, and those that speak once for a record."""
    return [verdict for cell in report["cells"] for verdict in cell["verdicts"]] + report.get("verdicts", [])
