# A thousand gets at a time, of somebody whom this lab does not count.
beside() {
    begun c001-1
    for _ in $(seq 1000); do printf 'get 1\r\n'; done >"$work/gets"
    printf 'quit\r\n' >>"$work/gets"
    until [ -e "$record/runs/c001-1/run.json" ]; do
        socat - "UNIX-CONNECT:$(ls "$work"/assay-*/[ks])" <"$work/gets" >/dev/null
    done
}
