# 16 MiB are allowed to a process that wants all.
beside() {
    begun c001-1
    sleep 1
    within memory memory.limit_in_bytes=16777216 "$BASHPID"
    tail /dev/zero || true
    echo "$BASHPID" >/sys/fs/cgroup/memory/cgroup.procs
}
