//! What a statement says of the rows that it touches, read off its tokens and off no schema: which tables it names,
//! which of them it writes, and which columns it holds to one value. It errs to one side: what is not understood
//! touches any row, or bars everything; what views, triggers and foreign keys touch is not seen (docs/upgrade.md).

use std::collections::BTreeMap;
use trace::sql::{Dialect, Kind, Token, tokens};
use trace::{Bound, Value};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub tables: Vec<Table>,
    /// It changes what tables are, or nobody knows what it touches.
    pub barrier: bool,
    /// Its rows come in an order that it says.
    pub ordered: bool,
    pub limited: bool,
    pub writes: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    /// It writes, or locks as writers do.
    pub writes: bool,
    /// Columns that must have this one value.
    pub held: BTreeMap<String, String>,
    /// Its row is a new one.
    pub inserts: bool,
}

/// What changes no rows, and waits for nobody.
const ASIDE: &[&str] = &[
    "SET",
    "SHOW",
    "USE",
    "BEGIN",
    "START",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT",
    "RELEASE",
    "EXPLAIN",
    "DESCRIBE",
    "DESC",
    "KILL",
    "FLUSH",
    "DO",
    "XA",
    "UNLOCK",
    "HELP",
    "DEALLOCATE",
    "PREPARE",
    "ANALYZE",
    "CHECKSUM",
    "CHECK",
];
/// What may stand between a verb and the table that it writes.
const MANNERS: &[&str] = &["LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "QUICK", "IGNORE"];
/// Behind these no table of the list comes.
const ENDS: &[&str] =
    &["WHERE", "SET", "GROUP", "ORDER", "HAVING", "LIMIT", "VALUES", "VALUE", "SELECT", "UNION", "FOR", "RETURNING"];
const BEHIND_WHERE: &[&str] = &["GROUP", "ORDER", "LIMIT", "HAVING", "FOR", "LOCK", "UNION", "RETURNING"];

/// `bound` are the values of its parameters.
pub fn facts(sql: &[u8], bound: &[Bound]) -> Facts {
    let all: Vec<Token> = tokens(sql, Dialect::default()).filter(|token| token.kind != Kind::Hint).collect();
    let (mut facts, mut parameters) = (Facts::default(), 0);
    for part in all.split(|token| token.is_symbol(";")).filter(|part| !part.is_empty()) {
        let before = parameters;
        parameters += part.iter().filter(|token| token.kind == Kind::Parameter).count();
        Part { tokens: part, bound: bound.get(before..).unwrap_or_default() }.read(&mut facts);
    }
    facts
}

struct Part<'a> {
    tokens: &'a [Token<'a>],
    bound: &'a [Bound],
}

impl Part<'_> {
    fn read(&self, facts: &mut Facts) {
        let first = self.tokens.iter().find(|token| !token.is_symbol("("));
        let Some(first) = first else { return };
        let is = |word: &str| first.is(word);
        let has = |two: [&str; 2]| self.tokens.windows(2).any(|pair| pair[0].is(two[0]) && pair[1].is(two[1]));
        let is_temporary = self.tokens.get(1).is_some_and(|token| token.is("TEMPORARY"));
        if ASIDE.iter().any(|word| is(word)) || is_temporary {
            return;
        }
        let reads = is("SELECT") || is("WITH") || is("TABLE") || is("VALUES");
        let inserts = is("INSERT") || is("REPLACE");
        let changes = is("UPDATE") || is("DELETE");
        if !reads && !inserts && !changes {
            facts.barrier = true;
            facts.writes = true;
            return;
        }
        let locks = has(["FOR", "UPDATE"]) || has(["FOR", "SHARE"]) || has(["IN", "SHARE"]);
        let mut tables = self.tables();
        for (at, (table, depth)) in tables.iter_mut().enumerate() {
            table.writes = locks || inserts && at == 0 || changes && *depth == 0;
            table.inserts = inserts && at == 0;
        }
        if let [(table, _)] = &mut tables[..] {
            table.held = if inserts { self.inserted() } else { self.held() };
            for column in self.assigned() {
                table.held.remove(&column);
            }
        }
        facts.writes |= !reads;
        let top = self.depths();
        let outer = |word: &str| self.tokens.iter().zip(&top).any(|(token, depth)| *depth == 0 && token.is(word));
        facts.ordered |= outer("ORDER");
        facts.limited |= outer("LIMIT");
        facts.tables.extend(tables.into_iter().map(|(table, _)| table));
    }

    /// In how many parentheses each token stands.
    fn depths(&self) -> Vec<usize> {
        let mut depth = 0usize;
        let of = |token: &Token| {
            let before = depth;
            if token.is_symbol("(") {
                depth += 1;
            } else if token.is_symbol(")") {
                depth = depth.saturating_sub(1);
                return depth;
            }
            before
        };
        self.tokens.iter().map(of).collect()
    }

    /// Each table with the depth of its name.
    fn tables(&self) -> Vec<(Table, usize)> {
        let depths = self.depths();
        let (mut found, mut expected, mut list) = (Vec::new(), false, None);
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            let depth = depths[at];
            at += 1;
            let opens = ["FROM", "JOIN", "STRAIGHT_JOIN", "INTO", "TABLE"].iter().any(|word| token.is(word));
            let verb = at == 1 && ["UPDATE", "INSERT", "REPLACE"].iter().any(|word| token.is(word));
            if opens || verb {
                expected = true;
                if token.is("FROM") || token.is("UPDATE") {
                    list = Some(depth);
                }
            } else if ENDS.iter().any(|word| token.is(word)) {
                expected = false;
                list = list.filter(|of| *of != depth);
            } else if token.is_symbol(",") {
                expected = list == Some(depth);
            } else if expected && MANNERS.iter().any(|word| token.is(word)) || token.is_symbol("(") {
            } else if expected && matches!(token.kind, Kind::Word | Kind::Quoted) {
                expected = false;
                let mut name = plain(token);
                if self.tokens.get(at).is_some_and(|next| next.is_symbol("."))
                    && let Some(behind) = self.tokens.get(at + 1)
                {
                    name = plain(behind);
                    at += 2;
                }
                if name != "dual" {
                    found.push((Table { name, ..Table::default() }, depth));
                }
            } else {
                expected = false;
            }
        }
        found
    }

    /// The conditions of the outer WHERE; none where it is not a mere AND of them.
    fn conditions(&self) -> Vec<&[Token<'_>]> {
        let depths = self.depths();
        let outer = |at: usize, words: &[&str]| depths[at] == 0 && words.iter().any(|word| self.tokens[at].is(word));
        let Some(begin) = (0..self.tokens.len()).find(|at| outer(*at, &["WHERE"])) else { return Vec::new() };
        let end = (begin + 1..self.tokens.len()).find(|at| outer(*at, BEHIND_WHERE)).unwrap_or(self.tokens.len());
        let is = |at: usize, symbol: &str| depths[at] == 0 && self.tokens[at].is_symbol(symbol);
        let mut inside = begin + 1..end;
        if inside.clone().any(|at| outer(at, &["OR", "XOR"]) || is(at, "||")) {
            return Vec::new();
        }
        let joints = inside.clone().filter(|at| outer(*at, &["AND"]) || is(*at, "&&"));
        let mut found = Vec::new();
        for at in joints.chain([end]) {
            found.push(&self.tokens[inside.start..at]);
            inside.start = at + 1;
        }
        found
    }

    fn held(&self) -> BTreeMap<String, String> {
        let mut held = BTreeMap::new();
        for condition in self.conditions() {
            let (column, value) = match condition {
                [column, equals, value] if equals.is_symbol("=") => (column, value),
                [_, point, column, equals, value] if point.is_symbol(".") && equals.is_symbol("=") => (column, value),
                _ => continue,
            };
            if let (Kind::Word | Kind::Quoted, Some(value)) = (column.kind, self.value(value)) {
                held.insert(plain(column), value);
            }
        }
        held
    }

    /// The columns and values of a single row.
    fn inserted(&self) -> BTreeMap<String, String> {
        let mut groups = Vec::new();
        let (depths, mut open) = (self.depths(), None);
        for (at, token) in self.tokens.iter().enumerate() {
            if token.is_symbol("(") && depths[at] == 0 {
                open = Some(at + 1);
            } else if token.is_symbol(")")
                && depths[at] == 0
                && let Some(from) = open.take()
            {
                groups.push(&self.tokens[from..at]);
            }
        }
        let [columns, values] = groups[..] else { return BTreeMap::new() };
        let simple = |group: &[Token]| group.iter().skip(1).step_by(2).all(|token| token.is_symbol(","));
        if columns.len() != values.len() || !simple(columns) || !simple(values) {
            return BTreeMap::new();
        }
        let pairs = columns.iter().zip(values).step_by(2);
        pairs.filter_map(|(column, value)| Some((plain(column), self.value(value)?))).collect()
    }

    /// Columns that an UPDATE sets, or an INSERT where its row is there: a row is another one behind it.
    fn assigned(&self) -> Vec<String> {
        let depths = self.depths();
        let begins = |at: &usize| {
            let token = self.tokens[*at];
            depths[*at] == 0 && (token.is("SET") || token.is("UPDATE") && *at > 0)
        };
        let Some(begin) = (0..self.tokens.len()).find(begins) else { return Vec::new() };
        let set = |at: usize| {
            let (name, equals) = (self.tokens[at], self.tokens[at + 1]);
            (depths[at] == 0 && equals.is_symbol("=")).then(|| plain(&name))
        };
        let ends = |at: &usize| depths[*at] == 0 && self.tokens[*at].is("WHERE");
        let end = (begin..self.tokens.len()).find(ends).unwrap_or(self.tokens.len());
        (begin..end.saturating_sub(1)).filter_map(set).collect()
    }

    fn value(&self, token: &Token) -> Option<String> {
        match token.kind {
            Kind::Number => understood(std::str::from_utf8(token.text).ok()?),
            Kind::Text => {
                let inside = token.text.get(1..token.text.len() - 1)?;
                understood(std::str::from_utf8(inside).ok().filter(|_| token.text[0] != b'n' && token.text[0] != b'N')?)
            }
            Kind::Parameter => {
                let place = self.tokens.iter().filter(|t| t.kind == Kind::Parameter).position(|t| t.at == token.at)?;
                match &self.bound.get(place)?.value {
                    Value::Int(n) => understood(&n.to_string()),
                    Value::UInt(n) => understood(&n.to_string()),
                    Value::Bytes(bytes) => understood(std::str::from_utf8(bytes).ok()?),
                    Value::Null
                    | Value::Float(_)
                    | Value::Double(_)
                    | Value::DateTime(_)
                    | Value::Time(_)
                    | Value::Default
                    | Value::Ignore => None,
                }
            }
            Kind::Word | Kind::Quoted | Kind::Bits | Kind::Hint | Kind::Variable | Kind::Symbol => None,
        }
    }
}

/// A name as it is compared: without its quotes, in small letters, because servers differ in whether they tell them
/// apart.
fn plain(token: &Token) -> String {
    let text = String::from_utf8_lossy(token.text).to_lowercase();
    if token.kind == Kind::Quoted { text.trim_matches(['`', '"']).to_string() } else { text }
}

/// The value as it was said, where it can be compared with others.
fn understood(text: &str) -> Option<String> {
    folded(text).map(|_| text.to_string())
}

/// One text of all values that a server may take for equal; `None` where it would need the column to know.
pub fn folded(text: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_ .@:".contains(c);
    let text = text.trim_end();
    if !text.chars().all(plain) {
        return None;
    }
    let number = text.parse::<f64>().ok();
    Some(number.map_or_else(|| text.to_ascii_lowercase(), |n| n.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(sql: &str) -> String {
        let facts = facts(sql.as_bytes(), &[]);
        let table = |table: &Table| {
            let columns: Vec<&str> = table.held.keys().map(String::as_str).collect();
            format!("{}{}({})", if table.writes { "!" } else { "" }, table.name, columns.join(","))
        };
        let tables: Vec<String> = facts.tables.iter().map(table).collect();
        format!("{}{}", tables.join(" "), if facts.barrier { " barrier" } else { "" })
    }

    #[test]
    fn tables_and_columns_that_are_held_to_a_value_are_read_off_a_statement() {
        for (sql, expected) in [
            ("SELECT c FROM sbtest1 WHERE id=5", "sbtest1(id)"),
            ("select `c` from db.`T` as x where x.a = 'q' and b between 1 and 2 and c=3 order by a", "t(a,c)"),
            ("SELECT 1 FROM a, b JOIN c ON a.x = c.x WHERE a.id = 1", "a() b() c()"),
            ("SELECT * FROM t WHERE id = 1 OR id = 2", "t()"),
            ("SELECT * FROM t WHERE id = 1 FOR UPDATE", "!t(id)"),
            ("SELECT max(id) FROM (SELECT id FROM t WHERE k = 2) AS d", "t()"),
            ("UPDATE t SET k = k + 1, a = 5 WHERE id = 7 AND a = 4", "!t(id)"),
            ("UPDATE t SET k = 1 WHERE id IN (SELECT id FROM u WHERE u.x = 1)", "!t() u()"),
            ("INSERT INTO t (id, k) VALUES (1, 'a')", "!t(id,k)"),
            ("INSERT IGNORE INTO t (id) VALUES (1), (2)", "!t()"),
            ("INSERT INTO t (id, n) VALUES (1, 2) ON DUPLICATE KEY UPDATE n = 3", "!t(id)"),
            ("INSERT INTO t SELECT * FROM u", "!t() u()"),
            ("DELETE FROM t WHERE id = 3", "!t(id)"),
            ("SELECT 1 INTO @x", ""),
            ("SET NAMES utf8mb4", ""),
            ("BEGIN", ""),
            ("ALTER TABLE t ADD COLUMN x INT", " barrier"),
            ("CALL p(1)", " barrier"),
            ("SELECT a FROM t WHERE id = 1; DELETE FROM u WHERE id = 2", "t(id) !u(id)"),
        ] {
            assert_eq!(told(sql), expected, "{sql}");
        }
    }

    #[test]
    fn a_value_is_the_same_however_it_is_written_and_bound() {
        let held = |sql: &str, bound: &[Bound]| folded(&facts(sql.as_bytes(), bound).tables[0].held["id"]);
        let five = held("SELECT 1 FROM t WHERE id = 5", &[]);
        let bound = Bound { code: 8, unsigned: false, value: Value::Int(5) };
        assert_eq!(five, held("SELECT 1 FROM t WHERE id = '5'", &[]));
        assert_eq!(five, held("SELECT 1 FROM t WHERE id = ?", &[bound]));
        assert_ne!(five, held("SELECT 1 FROM t WHERE id = 6", &[]));
        assert_eq!(held("SELECT 1 FROM t WHERE id = 'Ab '", &[]), held("SELECT 1 FROM t WHERE id = 'aB'", &[]));
        assert!(facts("SELECT 1 FROM t WHERE id = 'é'".as_bytes(), &[]).tables[0].held.is_empty());
    }

    #[test]
    fn rows_have_an_order_only_where_the_outer_statement_says_one() {
        let facts = |sql: &str| facts(sql.as_bytes(), &[]);
        assert!(facts("SELECT a FROM t ORDER BY a LIMIT 3").ordered);
        let inner = facts("SELECT * FROM (SELECT a FROM t ORDER BY a LIMIT 3) AS x");
        assert!(!inner.ordered && !inner.limited);
    }
}
