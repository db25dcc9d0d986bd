#!/usr/bin/env python3
"""What the judgement makes of harm that is done to real servers on purpose: `make sabotage`.

Each sabotage of sabotages.toml is done to a private server in the third of four runs, and its twin, the same experiment
left alone, is run in the same minutes. What came out is kept in a file of figures, and the table goes into docs/trust.md.

  named    one sentence of a verdict that warns or fails, or of a run that failed, has the word that the table demands,
           and no sentence of the twin has it
  alarm    a check warned or failed that did not for the twin (or failed where it warned), without the name
  silent   neither

In slices, where the machine is free for minutes only: FIGURES=FILE keeps what was found by all calls.

  ONLY=REGEX      sabotages whose name or kind matches (of all servers of theirs)
  ON=mariadb      one server
  MINUTES=10      begins no further one after so long
  AGAIN=1         those too of which there are figures
  SABOTAGES=FILE  another list of the same shape (sabotages.toml)
  TABLE=FILE      where the table goes (docs/trust.md);  PARTS=none writes only the table
  KEEP=FOLDER     keeps the records there;  PARTS=judge asks the program once more what it says of those
"""

import json, os, re, shutil, signal, subprocess, sys, tempfile, time, tomllib
from pathlib import Path

import page
from common import ASSAY, PAGE, Figures, commit, say, verdicts

HERE = Path(__file__).resolve().parent
FIGURES = Figures("sabotage.jsonl")
BUILDS = {"mariadb": "distribution", "mysql": "mysql-8.0"}
# A twin stands for the sabotages of its experiment that are done in the minutes behind it.
TWIN_LASTS = 6 * 60
# A record takes half a minute; on a machine that is very busy, some.
PATIENCE = 400
THIRD = 2
# Users are at work from the warm-up on; the harm is to be in what is measured.
WARM_UP = 0.4
# Hundredths of a second of the server's CPU time: what the lab reads before users come takes less.
AT_WORK = 20
# Where the harm itself failed, nothing was tried.
NOT_DONE = "not done"
# What is told by the record's notes and by the lab itself, and by no check.
FROM_NOTES = ["a run failed", "the lab ended"]

EXPERIMENT = """question = "Is it seen?"

[server]
build = "{build}"

[server.settings]
buffer_pool     = "64 MiB"
redo            = "16 MiB"
flush_at_commit = 1
{workload}
[load]
users   = 2
warm_up = "300ms"
measure = "2500ms"

[repeat]
repetitions = 4
aa          = false
"""


def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def descendants(pid):
    """All processes below one."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, todo = [], [pid]
    while todo:
        below = parents.get(todo.pop(), [])
        found += below
        todo += below
    return found


class Lab:
    """One `assay run`, and what a saboteur knows of it."""

    def __init__(self, folder, text):
        self.folder, self.record = folder, folder / "record"
        folder.mkdir(parents=True)
        (folder / "q.toml").write_text(text)
        self.said = open(folder / "said", "w+")
        self.process = subprocess.Popen([ASSAY, "run", "q.toml", "--out", "record"], cwd=folder,
                                        stdout=self.said, stderr=self.said, start_new_session=True)
        # A command before `assay` may let it wait for its turn.
        while self.process.poll() is None and not self.notes():
            time.sleep(0.1)
        self.begun = time.monotonic()

    def kill(self):
        """The lab; its servers die with it."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def notes(self):
        try:
            lines = (self.record / "notes.jsonl").read_text().splitlines()
        except OSError:
            return []
        return [note for note in map(of_line, lines) if note]

    def count(self, *kinds):
        return sum(note["kind"] in kinds for note in self.notes())

    def wait(self, what, found):
        """Until something is so: its value; None where the lab ended before."""
        while self.process.poll() is None:
            if time.monotonic() - self.begun > PATIENCE:
                raise TimeoutError(f"{what} did not come")
            value = found()
            if value:
                return value
            time.sleep(0.01)
        return None

    def server(self):
        """Process, socket and folder of data of the private server; None where there is none."""
        for pid in descendants(self.process.pid):
            try:
                words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
            except OSError:
                continue
            options = [word.split("=", 1)[1] for word in words if word.startswith("--defaults-file=")]
            if options and "__guard" not in words:
                text = Path(options[0]).read_text()
                value = lambda name: re.search(rf"^{name}\s*=\s*(\S+)", text, re.M).group(1)
                # The server's parent is its guard, and the guard's is the lab.
                return {"PID": str(pid), "LAB": str(parent(parent(pid))), "SOCKET": value("socket"), "DATA": value("datadir")}
        return None

    def end(self):
        try:
            self.process.wait(max(1, PATIENCE - (time.monotonic() - self.begun)))
        except subprocess.TimeoutExpired:
            pass
        finally:
            self.kill()
        return time.monotonic() - self.begun

    def heard(self):
        """What is told that is no praise: (check, status, sentence)."""
        told = told_of(self.record)
        for note in self.notes():
            if "failed" in note["kind"] or note["kind"] in ("instance_died", "run_aborted"):
                told.append((FROM_NOTES[0], "fail", note["text"]))
        if not told and self.process.returncode not in (0, 1):
            self.said.seek(0)
            told.append((FROM_NOTES[1], "fail", self.said.read()[-600:]))
        return told


def told_of(record):
    """Of a judged record, those that warn or fail."""
    try:
        report = json.loads((record / "report.json").read_text())
    except (OSError, ValueError):
        return []
    return [(v["check"], v["verdict"], v["sentence"]) for v in verdicts(report) if v["verdict"] in ("warn", "fail")]


def of_line(line):
    try:
        return json.loads(line)
    except ValueError:
        return None


def first():
    """A session of its own that comes first on the CPUs. Linux 6.18 gives a program that has just started 3 % of a CPU where server
    and users wake each other all the time, so that harm came seconds late, or was none."""
    os.setsid()
    try:
        Path("/proc/self/autogroup").write_text("-15")
    except OSError:
        pass  # A kernel without groups of sessions shares by thread.


def client(socket, sql, timeout=20):
    return subprocess.run(["mariadb", "-uroot", "-S", socket, "-N", "-e", sql], capture_output=True, text=True, timeout=timeout,
                          preexec_fn=first)


def worked(pid):
    """CPU time of a process, in hundredths of a second. Who asks the server itself would be seen there."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


def act(lab, sabotage, scratch):
    """Waits for the moment and does the harm; the process that goes on doing it, and what went wrong."""
    between = sabotage.get("moment") == "between"
    due = lambda: lab.count("run_done") >= THIRD if between else lab.count("run_started") > THIRD
    if not lab.wait("the third run", due):
        return None, "the lab ended before"
    server = lab.server()
    if not server:
        return None, "no server was found"
    socket = server["SOCKET"]
    if not between:
        before = worked(server["PID"])
        lab.wait("users at work", lambda: worked(server["PID"]) > before + AT_WORK)
        time.sleep(WARM_UP)
    named = [table.parent.name for table in Path(server["DATA"]).glob("*/sbtest1.*")]
    server |= {"SCHEMA": named[0] if named else "", "SCRATCH": str(scratch), "TRUST": str(HERE),
               "NAME": f"assay-{os.getpid()}"}
    if "sql" in sabotage:
        done = client(socket, sabotage["sql"].replace("{schema}", server["SCHEMA"]))
        return None, done.stderr.strip() if done.returncode else ""
    script = 'sql() { if [ $# -gt 0 ]; then mariadb -uroot -S "$SOCKET" -N -e "$1"; else mariadb -uroot -S "$SOCKET" -N; fi; }\n'
    with open(scratch / "harm", "w") as heard:
        doing = subprocess.Popen(["bash", "-c", script + sabotage["shell"]], env=os.environ | server, stdout=heard,
                                 stderr=heard, preexec_fn=first)
    return doing, ""


def ends(doing):
    if not doing:
        return
    try:
        os.killpg(doing.pid, signal.SIGTERM)
        doing.wait(3)
    except subprocess.TimeoutExpired:
        os.killpg(doing.pid, signal.SIGKILL)
        doing.wait()
    except ProcessLookupError:
        pass
    try:
        os.killpg(doing.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def ruin(folder, text, sabotage):
    """A record with harm in it."""
    scratch = folder / "scratch"
    lab = Lab(folder, text)
    scratch.mkdir()
    doing, trouble = None, ""
    try:
        doing, trouble = act(lab, sabotage, scratch)
        if sabotage.get("lasts") != "record":
            lab.wait("the third run's end", lambda: lab.count("run_done", "run_failed") > THIRD)
            ends(doing)
    except (TimeoutError, subprocess.TimeoutExpired) as late:
        trouble = str(late)
    finally:
        if sys.exc_info()[0] is SystemExit:
            lab.kill()
            ends(doing)
    seconds = lab.end()
    ends(doing)
    if (scratch / "harm").exists() and not trouble:
        trouble = (scratch / "harm").read_text().strip()[:200] if doing and doing.returncode not in (0, -15, 143) else ""
    return lab.heard(), seconds, trouble


def outcome(sabotage, told, twin):
    """Named, alarm or silent, with the sentence that says so."""
    word = re.compile(sabotage["word"])
    drowned = any(word.search(sentence) for _, _, sentence in twin)
    for check, status, sentence in told:
        if not drowned and word.search(sentence):
            return "named", check, sentence
    known = {(check, status) for check, status, _ in twin} | {(check, "warn") for check, status, _ in twin if status == "fail"}
    for check, status, sentence in sorted(told, key=lambda one: one[1]):
        if (check, status) not in known:
            return "alarm", check, sentence
    return "silent", "", ""


class Rounds:
    def __init__(self, table, home):
        self.table, self.home, self.twins, self.number = table, home, {}, 0

    def text(self, server, experiment):
        return EXPERIMENT.format(build=BUILDS[server], workload="\n" + self.table["experiment"][experiment]["toml"])

    def folder(self):
        self.number += 1
        return self.home / f"r{self.number}"

    def base(self, server, experiment):
        return {"server": server, "twin": experiment, "at": time.strftime("%Y-%m-%d %H:%M", time.gmtime()),
                "busy": round(os.getloadavg()[0], 1), "commit": commit(), "stream": os.getpid()}

    def twin(self, server, experiment):
        """What is told of the experiment when nobody does anything, in these minutes."""
        born, told = self.twins.get((server, experiment), (-TWIN_LASTS, None))
        if told is not None and time.monotonic() - born < TWIN_LASTS:
            return told
        say(f"twin: {experiment} on {server}")
        folder, base = self.folder(), self.base(server, experiment)
        lab = Lab(folder, self.text(server, experiment))
        seconds = lab.end()
        told = lab.heard()
        FIGURES.add(base | {"what": "twin", "seconds": round(seconds, 1), "told": told, "record": kept(folder)})
        self.twins[server, experiment] = (time.monotonic(), told)
        return told

    def sabotage(self, server, sabotage):
        twin = self.twin(server, sabotage["twin"])
        folder, base = self.folder(), self.base(server, sabotage["twin"])
        told, seconds, trouble = ruin(folder, self.text(server, sabotage["twin"]), sabotage)
        how, check, sentence = outcome(sabotage, told, twin)
        if trouble:
            how = NOT_DONE
            say(f"  it was not done: {trouble}")
        say(f"{how:7} {seconds:4.0f} s  {sabotage['name']} on {server}  {check}: {sentence[:150]}")
        FIGURES.add(base | {"what": "sabotage", "name": sabotage["name"], "kind": sabotage["kind"], "how": how, "check": check,
                     "sentence": sentence, "seconds": round(seconds, 1), "trouble": trouble, "told": told,
                     "record": kept(folder)})


def kept(folder):
    """Records go, but to KEEP=FOLDER: where it lies then."""
    place = os.environ.get("KEEP")
    if place:
        place = str(Path(place).resolve() / f"{time.strftime('%d-%H%M%S')}-{os.getpid()}-{folder.name}")
        shutil.copytree(folder / "record", place, symlinks=True)
    shutil.rmtree(folder, ignore_errors=True)
    return place


def judge_again(table):
    """What this program says of the records that were kept: for a judge that changed since."""
    by_name = {one["name"]: one for one in table["sabotage"]}
    anew, twins = [], {}
    for figure in FIGURES.all():
        place = figure.get("record")
        if place and Path(place, "plan.json").exists():
            subprocess.run([ASSAY, "report", place], capture_output=True)
            if Path(place, "report.json").exists():
                before = [one for one in figure["told"] if one[0] in FROM_NOTES]
                figure["told"] = [list(one) for one in told_of(Path(place))] + before
                figure["judged"] = commit()
        if figure["what"] == "twin":
            twins[figure["server"], figure["twin"], figure["stream"]] = figure["told"]
        elif figure["name"] in by_name:
            twin = twins[figure["server"], figure["twin"], figure["stream"]]
            how = outcome(by_name[figure["name"]], figure["told"], twin)
            if figure["how"] != NOT_DONE:
                figure["how"], figure["check"], figure["sentence"] = how
        anew.append(figure)
    FIGURES.replace(anew)


def waits_first():
    """Who waits for the moment comes on a CPU when it is there; what it starts is scheduled as anybody."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError as refused:
        say(f"harm may come late: {refused}")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    waits_first()
    table = tomllib.loads(Path(os.environ.get("SABOTAGES", HERE / "sabotages.toml")).read_text())
    if os.environ.get("PARTS") == "judge":
        judge_again(table)
    elif os.environ.get("PARTS") != "none":
        only, on = re.compile(os.environ.get("ONLY", "")), os.environ.get("ON")
        known = set() if os.environ.get("AGAIN") else {(f["server"], f.get("name")) for f in FIGURES.all() if f.get("how") != NOT_DONE}
        todo = [(server, one) for one in table["sabotage"] for server in one["on"]
                if (only.search(one["name"]) or only.search(one["kind"])) and on in (None, server)
                and (server, one["name"]) not in known]
        # By server and twin, so that a twin stands for many.
        todo.sort(key=lambda one: (one[0], one[1]["twin"]))
        until = time.monotonic() + 60 * float(os.environ.get("MINUTES", "1000"))
        home = Path(tempfile.mkdtemp(prefix="assay-sabotage."))
        try:
            rounds = Rounds(table, home)
            for server, one in todo:
                if time.monotonic() > until:
                    break
                rounds.sabotage(server, one)
        finally:
            shutil.rmtree(home, ignore_errors=True)
    page.put(PAGE, "sabotage", page.sabotages(table, FIGURES.all()))


if __name__ == "__main__":
    main()
