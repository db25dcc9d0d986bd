# In the first of two runs; the second begins without it.
beside() {
    await run_started
    sleep 1
    sql --execute "ALTER TABLE $(table) DROP INDEX k_1"
}
