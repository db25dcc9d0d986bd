beside() {
    begun c001-1
    within cpu cpu.cfs_quota_us=20000 "$(lab)"
}
