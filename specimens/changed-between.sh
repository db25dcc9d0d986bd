beside() {
    over c001-1
    sql --execute "SET GLOBAL query_prealloc_size = 65536"
}
