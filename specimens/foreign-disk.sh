beside() {
    begun c001-1
    until [ -e "$record/runs/c001-1/run.json" ]; do
        dd if=/dev/zero of="$work/foreign" bs=1M count=64 oflag=direct status=none
    done
    rm "$work/foreign"
}
