# Users come through a proxy, which waits 2 ms with each request from the end of the first run on.
carry_out() {
    by_hand
    python3 proxy.py "$work/between" "$(ls "$work"/assay-*/s)" "$work/delay" &
    proxy=$!
    until [ -S "$work/between" ]; do sleep 0.01; done
    ask "$1.toml" --on "mysql://root@localhost/?socket=$work/between" --out "$record"
    kill $proxy
    gone
}
beside() {
    over c001-1
    echo 2000 >"$work/delay"
}
