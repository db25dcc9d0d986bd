"""Tables of docs/trust.md, put between their marks."""

import os
from collections import Counter, defaultdict
from pathlib import Path

WIDTH = 160


def put(path, block, table):
    begin, end = f"<!-- {block}: begin -->", f"<!-- {block}: end -->"
    text = path.read_text() if path.exists() else ""
    if begin not in text:
        text += f"\n{begin}\n{end}\n"
    before, rest = text.split(begin, 1)
    path.write_text(f"{before}{begin}\n\n{table.rstrip()}\n\n{end}{rest.split(end, 1)[1]}")


def machine():
    models = {line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line}
    return f"{os.cpu_count()} × {', '.join(sorted(models))}, Linux {os.uname().release}"


def cell(text):
    """One line of a table, as far as it fits."""
    text = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
    return text if len(text) <= WIDTH else text[:WIDTH].rsplit(" ", 1)[0] + " …"


def span(all_of):
    busy = sorted(figure["busy"] for figure in all_of)
    days = sorted(figure["at"] for figure in all_of)
    return (f"between {days[0]} and {days[-1]} UTC; the load average of the machine when a record began was "
            f"{busy[len(busy) // 2]} in the middle, {busy[0]} to {busy[-1]}")


def of_all(count, whole):
    return f"{count} of {whole} ({100 * count / whole:.0f} %)" if whole else "0"


def sabotages(table, figures):
    known = {one["name"]: one for one in table["sabotage"]}
    harmed = [f for f in figures if f["what"] == "sabotage" and f["name"] in known
              and f["server"] in known[f["name"]]["on"] and f["how"] != "not done"]
    tried = {(f["server"], f["name"]): f for f in harmed}
    twins = [f for f in figures if f["what"] == "twin"]
    if not tried:
        return "Nothing was tried yet."
    all_of = list(tried.values())
    hows = Counter(f["how"] for f in all_of)
    meant = sum(len(one["on"]) for one in known.values())
    struck = Counter(check for f in twins for check in {c for c, status, _ in f["told"] if status == "fail"})
    warned = Counter(check for f in twins for check in {c for c, status, _ in f["told"] if status == "warn"})
    quiet = sum(all(status != "fail" for _, status, _ in f["told"]) for f in twins)
    commits = sorted({f["commit"] for f in all_of})
    judged = sorted({f["judged"] for f in all_of if f.get("judged")})
    judged = f" Records were judged by {', '.join(judged)}." if judged else ""
    lines = [
        f"Tried on {machine()}, {span(all_of)}. Records were made by programs of {', '.join(commits)}.{judged}",
        "",
        f"**{of_all(hows['named'], len(all_of))} named**, {of_all(hows['alarm'], len(all_of))} alarm without the name, "
        f"{of_all(hows['silent'], len(all_of))} silent. Of {meant} pairs of sabotage and server in the table "
        f"{len(all_of)} were tried; each is told as it was tried last. "
        f"Of {len(twins)} healthy twins {len(twins) - quiet} were struck.",
        "",
        f"| kind | tried | named | alarm | silent |",
        "|---|---|---|---|---|",
    ]
    by_kind = defaultdict(Counter)
    for figure in all_of:
        by_kind[figure["kind"]][figure["how"]] += 1
    for kind, counts in sorted(by_kind.items()):
        lines.append(f"| {kind} | {sum(counts.values())} | {counts['named']} | {counts['alarm']} | {counts['silent']} |")
    lines += ["", f"Healthy twins, {len(twins)} of them: which checks failed or warned, and how often.", "",
              "| check | twins struck | twins warned |", "|---|---|---|"]
    for check in sorted(set(struck) | set(warned), key=lambda check: (-struck[check], -warned[check], check)):
        lines.append(f"| `{check}` | {struck[check]} | {warned[check]} |")
    lines += ["", "| sabotage | kind | server | said | by | seconds | the sentence |", "|---|---|---|---|---|---|---|"]
    order = {one["name"]: number for number, one in enumerate(table["sabotage"])}
    for figure in sorted(all_of, key=lambda f: (order[f["name"]], f["server"])):
        how = figure["how"] if figure["how"] == "named" else f"**{figure['how']}**"
        by = f"`{figure['check']}`" if figure["check"] else ""
        lines.append(f"| {figure['name']} | {figure['kind']} | {figure['server']} | {how} | {by} | {figure['seconds']:.0f} "
                     f"| {cell(figure['sentence'])} |")
    return "\n".join(lines)


def alarms(figures):
    """Of records of which every cell is every other's twin."""
    if not figures:
        return "Nothing was run yet."
    records = len(figures)
    numbers = sum(f["numbers"] for f in figures)
    struck, clean = sum(f["struck"] for f in figures), sum(f["clean"] for f in figures)
    compared = sum(f["comparisons"] for f in figures)
    judged = sorted({f["judged"] for f in figures if f.get("judged")})
    judged = f" and judged by {', '.join(judged)}" if judged else ""
    false = sum(f["differences"] for f in figures)
    lines = [
        f"{records} records of an experiment whose cells differ in nothing, on {machine()}, {span(figures)}. Records "
        f"were made by programs of {', '.join(sorted({f['commit'] for f in figures}))}{judged}.",
        "",
        f"{of_all(struck, numbers)} numbers struck, {of_all(numbers - struck - clean, numbers)} with a warning, "
        f"{of_all(clean, numbers)} with none. Of {compared} comparisons of twins {false} claimed a difference.",
        "",
        "| workload | records | numbers | struck | warned | comparisons | differences claimed |",
        "|---|---|---|---|---|---|---|",
    ]
    for workload in sorted({f["workload"] for f in figures}):
        own = [f for f in figures if f["workload"] == workload]
        total = lambda key: sum(f[key] for f in own)
        lines.append(f"| {workload} | {len(own)} | {total('numbers')} | {total('struck')} | "
                     f"{total('numbers') - total('struck') - total('clean')} | {total('comparisons')} | {total('differences')} |")
    verdicts = defaultdict(Counter)
    for figure in figures:
        for check, counts in figure["checks"].items():
            verdicts[check].update(counts)
    lines += ["", "| check | verdicts | failed | warned | passed | not evaluable | not applicable |", "|---|---|---|---|---|---|---|"]
    for check, counts in sorted(verdicts.items(), key=lambda one: (-one[1]["fail"], -one[1]["warn"], one[0])):
        lines.append(f"| `{check}` | {sum(counts.values())} | {counts['fail']} | {counts['warn']} | {counts['pass']} | "
                     f"{counts['not_evaluable']} | {counts['not_applicable']} |")
    return "\n".join(lines)
