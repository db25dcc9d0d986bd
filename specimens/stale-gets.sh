# A server of MySQL's, which alone has the plugin.
carry_out() {
    "$assay" servers list | grep -q '^mysql-8.0.33 .* yes ' || "$assay" servers install mysql-8.0.33
    ask "$1.toml" --out "$record"
}
