# From figures (part, program, users, round, name, value; tab-separated) to tables. Absolute figures are medians over the
# rounds; ratios are taken within a round first, and given as median [smallest..largest].

BEGIN { FS = "\t" }
$6 != "" {
    value[$1, $2, $3, $5, $4] = $6
    if (!(($1, $3) in level)) { level[$1, $3] = ++levels[$1]; users[$1, levels[$1]] = $3 }
    if ($4 > rounds) rounds = $4
}

function sort(list, n,    i, j, x) {
    for (i = 2; i <= n; i++) {
        x = list[i]
        for (j = i - 1; j >= 1 && list[j] > x; j--) list[j + 1] = list[j]
        list[j + 1] = x
    }
}
function middle(list, n) { return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2 }
function digits(x) { return sprintf(x < 0.995 ? "%.2f" : x < 99.5 ? "%.1f" : "%.0f", x) }
function thousands(x,    text, out) {
    text = sprintf("%.0f", x)
    while (length(text) > 3) { out = "," substr(text, length(text) - 2) out; text = substr(text, 1, length(text) - 3) }
    return text out
}

# The median over the rounds; empty when nothing was measured.
function median(part, program, n, name,    r, list, count) {
    for (r = 1; r <= rounds; r++) if ((part, program, n, name, r) in value) list[++count] = value[part, program, n, name, r]
    if (!count) return ""
    sort(list, count)
    return middle(list, count)
}
# Of one figure by another, within each round.
function ratio(part, program, name, other, by, n, limit,    r, list, count, m) {
    for (r = 1; r <= rounds; r++)
        if ((part, program, n, name, r) in value && value[part, other, n, by, r] > 0)
            list[++count] = value[part, program, n, name, r] / value[part, other, n, by, r]
    if (!count) return "–"
    sort(list, count)
    m = middle(list, count)
    return sprintf("%s%.2f%s [%.2f..%.2f]", m > limit ? "**" : "", m, m > limit ? "**" : "", list[1], list[count])
}
function shown(x) { return x == "" ? "–" : digits(x) }
function rate(x) { return x == "" ? "–" : thousands(x) }

function figures_of(part, names, count,    i, k, n) {
    print "| connections | program | QPS | client CPU µs/statement | of it user | whole process | peak RSS MiB |"
    print "|---|---|---|---|---|---|---|"
    for (i = 1; i <= levels[part]; i++) {
        n = users[part, i]
        for (k = 1; k <= count; k++)
            if (median(part, names[k], n, "cpu") != "")
                printf "| %s | %s | %s | %s | %s | %s | %s |\n", n, names[k], rate(median(part, names[k], n, "qps")),
                    shown(median(part, names[k], n, "cpu")), shown(median(part, names[k], n, "user")),
                    shown(median(part, names[k], n, "process")), shown(median(part, names[k], n, "rss"))
    }
    print ""
}

function transports(    i, k, n, how, count) {
    count = split("unix tcp tls", how, " ")
    print "| connections | transport | QPS | client CPU µs/statement | of it user | server CPU µs/statement | peak RSS MiB |\n|---|---|---|---|---|---|---|"
    for (i = 1; i <= levels["transport"]; i++) {
        n = users["transport", i]
        for (k = 1; k <= count; k++)
            printf "| %s | %s | %s | %s | %s | %s | %s |\n", n, how[k], rate(median("transport", how[k], n, "qps")),
                shown(median("transport", how[k], n, "cpu")), shown(median("transport", how[k], n, "user")),
                shown(median("transport", how[k], n, "server")), shown(median("transport", how[k], n, "rss"))
    }
    print "\nRatios to the Unix socket within a round, median [smallest..largest].\n"
    print "| connections | transport | QPS | client CPU | of it user | server CPU |\n|---|---|---|---|---|---|"
    for (i = 1; i <= levels["transport"]; i++) {
        n = users["transport", i]
        if (median("transport", "unix", n, "cpu") == "") continue
        for (k = 2; k <= count; k++)
            printf "| %s | %s | %s | %s | %s | %s |\n", n, how[k], ratio("transport", how[k], "qps", "unix", "qps", n, 1e9),
                ratio("transport", how[k], "cpu", "unix", "cpu", n, 1e9), ratio("transport", how[k], "user", "unix", "user", n, 1e9),
                ratio("transport", how[k], "server", "unix", "server", n, 1e9)
    }
}

# What a statement of a script costs, and what it may cost beside sysbench.
function script_goal(n) { return n >= 1024 ? 0.35 : n >= 256 ? 0.5 : n >= 64 ? 0.7 : 1 }
function scripts(    i, k, n, part, list, count) {
    count = split("lua.oltp_point_select lua.oltp_read_only", list, " ")
    print "| script | users | sysbench: QPS | CPU µs/statement | of it user | peak RSS MiB | assay: QPS | CPU µs/statement | of it user | peak RSS MiB | CPU ÷ sysbench's | goal | memory ÷ sysbench's |"
    print "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    for (k = 1; k <= count; k++) {
        part = list[k]
        for (i = 1; i <= levels[part]; i++) {
            n = users[part, i]
            printf "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | ≤ %s | %s |\n", substr(part, 5), n,
                rate(median(part, "sysbench", n, "qps")), shown(median(part, "sysbench", n, "cpu")),
                shown(median(part, "sysbench", n, "user")), shown(median(part, "sysbench", n, "rss")),
                rate(median(part, "assay sysbench", n, "qps")), shown(median(part, "assay sysbench", n, "cpu")),
                shown(median(part, "assay sysbench", n, "user")), shown(median(part, "assay sysbench", n, "rss")),
                ratio(part, "assay sysbench", "cpu", "sysbench", "cpu", n, script_goal(n)), script_goal(n),
                ratio(part, "assay sysbench", "rss", "sysbench", "rss", n, n >= 1024 ? 1 : 1e9)
        }
    }
}

# The floor of a level: that of its ways whose median over the rounds is highest. The highest of each round would be the
# luckiest of many draws, which no single program can be.
function best_floor(part,    i, r, k, n, best, count) {
    count = split("floor blocking|floor io_uring|floor io_uring:" cpus "|floor epoll|floor epoll:" cpus, ways, "|")
    for (i = 1; i <= levels[part]; i++) {
        n = users[part, i]; best = ""
        for (k = 1; k <= count; k++) if (median(part, ways[k], n, "qps") != "")
            if (best == "" || median(part, ways[k], n, "qps") > median(part, best, n, "qps")) best = ways[k]
        if (best == "") continue
        floor_of[part, n] = substr(best, 7)
        for (r = 1; r <= rounds; r++) if ((part, best, n, "qps", r) in value) {
            value[part, "best floor", n, "qps", r] = value[part, best, n, "qps", r]
            value[part, "best floor", n, "cpu", r] = value[part, best, n, "cpu", r]
        }
    }
}
function against(part, title,    i, n) {
    if (!levels[part]) return
    best_floor(part)
    print "### " title "\n"
    figures_of(part, names, everybody)
    print "Ratios within a round, median [smallest..largest]; the floor is that of its ways whose median over the rounds is highest (io_uring:2 is io_uring on two threads); what misses its goal in bold.\n"
    print "| connections | floor | QPS ÷ sysbench\047s (≥ 1) | QPS ÷ floor (≥ 0.95) | CPU ÷ floor (≤ 1.15; 1.1 at 1) | CPU ÷ sysbench\047s | user CPU ÷ sysbench\047s | whole process ÷ sysbench\047s |"
    print "|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= levels[part]; i++) {
        n = users[part, i]
        printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", n, floor_of[part, n],
            at_least(ratio(part, "assay auto", "qps", "sysbench", "qps", n, 1e9), 1),
            at_least(ratio(part, "assay auto", "qps", "best floor", "qps", n, 1e9), 0.95),
            ratio(part, "assay auto", "cpu", "best floor", "cpu", n, n == 1 ? 1.1 : 1.15),
            ratio(part, "assay auto", "cpu", "sysbench", "cpu", n, 1e9),
            ratio(part, "assay auto", "user", "sysbench", "user", n, 1e9),
            ratio(part, "assay auto", "process", "sysbench", "cpu", n, 1e9)
    }
    print ""
}
function postgres(    i, n) {
    best_floor("postgres")
    everybody = split("sysbench|pgbench|floor io_uring|floor io_uring:" cpus "|floor epoll|floor epoll:" cpus "|assay auto", names, "|")
    figures_of("postgres", names, everybody)
    print "Ratios within a round, median [smallest..largest]; what misses its goal in bold.\n"
    print "| connections | floor | CPU ÷ floor (≤ 1.25) | CPU ÷ pgbench\047s (≤ 1) | CPU ÷ sysbench\047s (≤ 1) | QPS ÷ floor | QPS ÷ pgbench\047s | QPS ÷ sysbench\047s |"
    print "|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= levels["postgres"]; i++) {
        n = users["postgres", i]
        printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", n, floor_of["postgres", n],
            ratio("postgres", "assay auto", "cpu", "best floor", "cpu", n, 1.25),
            ratio("postgres", "assay auto", "cpu", "pgbench", "cpu", n, 1), ratio("postgres", "assay auto", "cpu", "sysbench", "cpu", n, 1),
            ratio("postgres", "assay auto", "qps", "best floor", "qps", n, 1e9),
            ratio("postgres", "assay auto", "qps", "pgbench", "qps", n, 1e9), ratio("postgres", "assay auto", "qps", "sysbench", "qps", n, 1e9)
    }
}
function ranks(    i, n) {
    print "Ratios within a round, median [smallest..largest].\n"
    print "| users | one process: QPS | three ranks: QPS | three ranks ÷ one process |\n|---|---|---|---|"
    for (i = 1; i <= levels["ranks"]; i++) {
        n = users["ranks", i]
        printf "| %s | %s | %s | %s |\n", n, rate(median("ranks", "one process", n, "qps")), rate(median("ranks", "three ranks", n, "qps")),
            ratio("ranks", "three ranks", "qps", "one process", "qps", n, 1e9)
    }
}
function at_least(text, goal) { return text + 0 < goal && text != "–" ? "**" text "**" : text }

END {
    everybody = split("sysbench|floor blocking|floor io_uring|floor io_uring:" cpus "|floor epoll|floor epoll:" cpus "|assay auto|assay io_uring|assay epoll", names, "|")
    against("points", "Prepared point selects over a Unix socket, server and load on the same CPUs")
    against("tcp", "The same over TCP on loopback")
    against("apart", "The same over a Unix socket, the server on the last CPU and the load on the others")
    if (levels["mixed"]) {
        print "### Mixed read-only transaction, ranges of 100 rows decoded\n"
        figures_of("mixed", names, everybody)
        printf "CPU per statement ÷ sysbench's (≤ 0.6): %s; the whole process: %s.\n\n",
            ratio("mixed", "assay io_uring", "cpu", "sysbench", "cpu", 64, 0.6),
            ratio("mixed", "assay io_uring", "process", "sysbench", "cpu", 64, 1e9)
    }
    if (levels["canned"]) {
        print "### Canned server, spinning on a core of its own\n"
        figures_of("canned", names, everybody)
        print "| connections | CPU ÷ floor, io_uring (≤ 1.25) | CPU ÷ floor, epoll (≤ 1.25) |\n|---|---|---|"
        for (i = 1; i <= levels["canned"]; i++) {
            n = users["canned", i]
            printf "| %s | %s | %s |\n", n, ratio("canned", "assay io_uring", "cpu", "floor io_uring", "cpu", n, 1.25),
                ratio("canned", "assay epoll", "cpu", "floor epoll", "cpu", n, 1.25)
        }
        print ""
    }
    if (levels["loader"]) {
        print "### Loading\n"
        printf "assay %s rows/s, `sysbench prepare --threads=2` %s rows/s; assay ÷ sysbench (≥ 2): %s.\n",
            rate(median("loader", "assay", 2, "rows_per_s")), rate(median("loader", "sysbench", 2, "rows_per_s")),
            ratio("loader", "assay", "rows_per_s", "sysbench", "rows_per_s", 2, 1e9)
    }
    if (levels["tpcc"]) {
        n = users["tpcc", 1]
        print "\n### TPC-C beside sysbench-tpcc\n"
        printf "Client CPU per New-Order at %s users: assay %s µs, sysbench %s µs; assay ÷ sysbench (≤ 0.5): %s. Loading, without sysbench-tpcc's pause of\n", n,
            shown(median("tpcc", "assay", n, "cpu_per_order")), shown(median("tpcc", "sysbench", n, "cpu_per_order")),
            ratio("tpcc", "assay", "cpu_per_order", "sysbench", "cpu_per_order", n, 0.5)
        printf "30 s: assay %s warehouses/min, sysbench-tpcc %s; assay ÷ sysbench (≥ 3): %s.\n",
            shown(median("tpcc", "assay", n, "warehouses_per_min")), shown(median("tpcc", "sysbench", n, "warehouses_per_min")),
            ratio("tpcc", "assay", "warehouses_per_min", "sysbench", "warehouses_per_min", n, 1e9)
        if (median("tpcc", "go-tpc", n, "warehouses_per_min") != "")
            printf "go-tpc, whose tables have four of the six indexes and no foreign keys: %s; assay ÷ go-tpc (≥ 3): %s.\n",
                shown(median("tpcc", "go-tpc", n, "warehouses_per_min")),
                ratio("tpcc", "assay", "warehouses_per_min", "go-tpc", "warehouses_per_min", n, 1e9)
    }
    if (levels["postgres"]) postgres()
    if (levels["transport"]) transports()
    if (levels["ranks"]) ranks()
    if (levels["lua.oltp_point_select"] || levels["lua.oltp_read_only"]) scripts()
}
