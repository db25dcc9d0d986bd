# What a neighbour on the same disk, or a provider's quota, does to durable commits.
beside() {
    disk=$(stat --format '%Hd:%Ld' "$work")
    begun c001-1
    within blkio "blkio.throttle.write_bps_device=$disk 262144" "$(server)"
    over c001-1
    echo "$disk 0" >/sys/fs/cgroup/blkio/specimen/blkio.throttle.write_bps_device
}
