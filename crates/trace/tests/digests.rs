//! Which statements are one and which are two, as digests say: the cases that other tools are known to get wrong.

use trace::digest;
use trace::sql::digest::digest_in;
use trace::sql::token::Dialect;

fn text(sql: &str) -> String {
    digest(sql.as_bytes()).text
}

#[test]
fn literals_of_every_kind_are_one() {
    let one = "SELECT a FROM t WHERE b = ?";
    for literal in [
        "1",
        "-1",
        "- 1",
        "+1.5",
        ".5",
        "1e10",
        "1.5E-3",
        "0x1F",
        "x'1F'",
        "0b01",
        "b'01'",
        "'x'",
        "\"x\"",
        "'it''s'",
        "'it\\'s; -- no comment'",
        "N'x'",
        "_utf8mb4'x'",
        "_utf8mb4 'x'",
        "_latin1 x'41'",
        "'a' 'b'",
        "?",
        "NULL",
        "--1",
    ] {
        // `--1` is two signs, because no blank follows.
        assert_eq!(text(&format!("select a from t where b = {literal}")), one, "{literal}");
    }
}

#[test]
fn signs_are_of_the_number_only_where_an_operand_begins() {
    assert_eq!(text("SELECT a-1, a - -1, -1, (-1), f(-1)"), "SELECT a - ?, a - ?, ?, (?), f(?)");
    assert_eq!(text("SELECT 5-1 BETWEEN -1 AND -2 LIMIT 1"), "SELECT ? - ? BETWEEN ? AND ? LIMIT ?");
    assert_eq!(text("SELECT `a`-1"), "SELECT `a` - ?");
}

#[test]
fn lists_and_rows_are_folded_whatever_their_length() {
    for list in ["(1)", "(1, 2)", "(?,?,?)", "('a','b' , NULL)"] {
        assert_eq!(text(&format!("SELECT 1 FROM t WHERE a IN {list}")), "SELECT ? FROM t WHERE a IN (...)", "{list}");
        assert_eq!(text(&format!("INSERT INTO t VALUES {list}")), "INSERT INTO t VALUES (...)", "{list}");
    }
    assert_eq!(text("INSERT INTO t (a, b) VALUES (1,2),(3,4),(5,6)"), "INSERT INTO t(a, b) VALUES (...)");
    assert_eq!(text("INSERT INTO t VALUES (1),(2),(3)"), "INSERT INTO t VALUES (...)");
    assert_eq!(text("INSERT INTO t VALUES (1, NOW()), (2, NOW())"), "INSERT INTO t VALUES (?, NOW())");
    assert_eq!(text("SELECT 1 WHERE (a, b) IN ((1,2),(3,4))"), "SELECT ? WHERE (a, b) IN ((...))");
    let two = "INSERT INTO t VALUES (1,2) ON DUPLICATE KEY UPDATE a = VALUES(a)";
    assert_eq!(text(two), "INSERT INTO t VALUES (...) ON DUPLICATE KEY UPDATE a = VALUES (a)");
}

#[test]
fn arguments_are_no_lists() {
    assert_eq!(text("SELECT concat(1, 2), CONCAT(1,2,3)"), "SELECT CONCAT(?, ?), CONCAT(?, ?, ?)");
    assert_eq!(text("CREATE TABLE t (a DECIMAL(10,2) NOT NULL)"), "CREATE TABLE t(a DECIMAL(?, ?) NOT NULL)");
}

#[test]
fn names_keep_their_quotes_and_their_case() {
    assert_eq!(
        text("select `Select`, t.1a, T.`a``b` from `d`.sbtest1"),
        "SELECT `Select`, t.1a, T.`a``b` FROM `d`.sbtest1"
    );
    assert_ne!(digest(b"SELECT a FROM T").hash, digest(b"SELECT a FROM t").hash);
    assert_eq!(text("SELECT 1st FROM 2nd"), "SELECT 1st FROM 2nd");
    let ansi = Dialect { ansi_quotes: true, no_backslash_escapes: false };
    assert_eq!(digest_in(b"SELECT \"a\" FROM t", ansi).text, "SELECT \"a\" FROM t");
}

#[test]
fn comments_go_hints_and_versioned_code_stay() {
    let plain = text("SELECT a FROM t");
    for sql in
        ["SELECT /* c */ a FROM t -- end", "SELECT a # c\nFROM t", "/* x */ SELECT a FROM t;", "SELECT a FROM t --"]
    {
        assert_eq!(text(sql), plain, "{sql}");
    }
    assert_eq!(text("SELECT /*!40001 SQL_NO_CACHE */ a FROM t"), "SELECT SQL_NO_CACHE a FROM t");
    assert_eq!(text("SELECT /*M!100100 b, */ a FROM t"), "SELECT b, a FROM t");
    assert_eq!(text("SELECT /*+ MAX_EXECUTION_TIME(5) */ a FROM t"), "SELECT /*+ MAX_EXECUTION_TIME(5) */ a FROM t");
}

#[test]
fn null_is_a_literal_where_a_value_stands_and_a_word_elsewhere() {
    assert_eq!(text("SELECT NULL WHERE a IS NOT NULL OR b IS NULL"), "SELECT ? WHERE a IS NOT NULL OR b IS NULL");
    assert_eq!(text("UPDATE t SET a = NULL"), text("UPDATE t SET a = 1"));
    assert_eq!(
        text("ALTER TABLE t MODIFY a INT NOT NULL DEFAULT NULL"),
        "ALTER TABLE t MODIFY a INT NOT NULL DEFAULT NULL"
    );
}

#[test]
fn accounts_and_variables() {
    assert_eq!(text("GRANT SELECT ON d.* TO 'u'@'h'"), text("GRANT SELECT ON d.* TO 'x'@'y'"));
    assert_eq!(text("SET @@session.a = 1, @b := 'x'"), "SET @@session.a = ?, @b := ?");
}

#[test]
fn no_bytes_are_too_strange_and_a_long_text_is_cut_for_showing_only() {
    for sql in
        [&b""[..], b"'", b"`a", b"/*", b"/*+", b"/*!", b"--", b"\xFF\xFE'\x00", b"((((", b"))))", b"x'", b"@", b"1."]
    {
        digest(sql);
    }
    let long = |end: &str| format!("SELECT {} {end}", "a + ".repeat(5_000));
    let (one, two) = (digest(long("b").as_bytes()), digest(long("c").as_bytes()));
    assert_eq!(one.text, two.text);
    assert_ne!(one.hash, two.hash);
}
