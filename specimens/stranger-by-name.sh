beside() {
    begun c001-1
    sleep 3
    sql --execute "CREATE USER app@localhost; GRANT SELECT ON *.* TO app@localhost"
    (
        echo "START TRANSACTION WITH CONSISTENT SNAPSHOT; SELECT COUNT(*) FROM $(table);"
        for n in $(seq 1200); do echo "DO $n;"; done
        over c001-1
    ) | sql --user=app >/dev/null
}
