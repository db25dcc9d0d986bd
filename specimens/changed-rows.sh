carry_out() {
    by_hand
    ask "$1.toml" --on "$dsn" --out "$work/before"
    sql --execute "UPDATE $(table) SET c = REVERSE(c)"
    ask "$1.toml" --on "$dsn" --out "$record"
    gone
}
