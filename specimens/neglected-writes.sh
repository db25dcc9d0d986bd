beside() {
    begun c001-1
    (
        echo "START TRANSACTION WITH CONSISTENT SNAPSHOT; SELECT 1;"
        over c001-1
    ) | sql >/dev/null &
    sleep 17
    within cpu cpu.cfs_quota_us=50000 "$(server)"
    over c001-1
}
