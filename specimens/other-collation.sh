# Somebody's own table: of the workload's name, columns and number of rows, and of another character set, engine and key.
carry_out() {
    by_hand
    sql --execute "CREATE DATABASE own; USE own;
        CREATE TABLE sbtest1 (id INTEGER NOT NULL, k INTEGER DEFAULT 0 NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL,
            PRIMARY KEY (id, k), KEY k_1 (k)) ENGINE=Aria DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
        INSERT INTO sbtest1 SELECT seq, 1 + seq * 7 % 2000, REPEAT('01234567890-', 9), REPEAT('0123456789-', 5) FROM seq_1_to_2000"
    ask "$1.toml" --on "${dsn/?socket/own?socket}" --out "$record"
    gone
}
