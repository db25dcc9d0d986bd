beside() {
    begun c001-2
    sleep 1
    sql --execute "SET GLOBAL innodb_flush_log_at_trx_commit = 0"
}
