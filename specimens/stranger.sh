# In the first of four runs.
beside() {
    await run_started
    sleep 1
    sql --execute "USE $(table | cut -d. -f1); DELETE FROM sbtest1 WHERE id % 2 = 0; UPDATE sbtest1 SET c = REVERSE(c);
        INSERT INTO sbtest1 SELECT seq, 1, REPEAT('x', 100), '' FROM seq_1000000_to_1010000; ANALYZE TABLE sbtest1" >/dev/null
}
