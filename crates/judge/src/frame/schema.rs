//! A CREATE TABLE as a model, so that what was submitted and what `SHOW CREATE TABLE` answers can be compared although
//! the two are never the same text: case, quotes, display widths and stated defaults are taken away, meaning stays.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    pub engine: String,
    pub charset: String,
    /// Empty where it is not stated, which servers do for a character set's default.
    pub collation: String,
    pub primary_key: Vec<String>,
    pub columns: BTreeMap<String, Column>,
    pub versioned: bool,
    pub partitioned: bool,
    /// The column that says until when a version of a row was current.
    pub row_end: Option<String>,
}

/// Bytes of the types that keys are made of here.
const WIDTHS: &[(&str, u32)] = &[
    ("tinyint", 1),
    ("smallint", 2),
    ("int", 4),
    ("bigint", 8),
    ("timestamp", 4),
    ("timestamp(6)", 7),
    ("datetime", 5),
    ("datetime(6)", 8),
];

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Without display width.
    pub kind: String,
    pub nullable: bool,
    /// As stated; empty: the table's.
    pub charset: String,
    pub collation: String,
}

/// Default collations of character sets on servers that leave them out of SHOW CREATE TABLE.
const UNSTATED: &[(&str, &str)] =
    &[("latin1", "latin1_swedish_ci"), ("utf8mb4", "utf8mb4_general_ci"), ("utf8mb3", "utf8mb3_general_ci")];

impl Schema {
    /// `None` for what is not a CREATE TABLE with a list of columns.
    pub fn parse(sql: &str) -> Option<Self> {
        let words = words(sql);
        let open = words.iter().position(|w| w == "(")?;
        let close = closing(&words, open)?;
        let mut schema = Self::default();
        for item in items(&words[open + 1..close]) {
            schema.item(item);
        }
        schema.options(&words[close + 1..]);
        for name in schema.primary_key.clone() {
            if let Some(column) = schema.columns.get_mut(&name) {
                column.nullable = false;
            }
        }
        Some(schema)
    }

    fn item(&mut self, item: &[String]) {
        let Some(first) = item.first() else { return };
        match first.as_str() {
            "primary" => self.primary_key = names_in_brackets(item),
            "key" | "index" | "unique" | "fulltext" | "spatial" | "constraint" | "foreign" | "check" | "period" => {}
            name => {
                let name = name.trim_matches('`').to_string();
                if has(item, &["primary", "key"]) {
                    self.primary_key = vec![name.clone()];
                }
                if has(item, &["as", "row", "end"]) {
                    self.row_end = Some(name.clone());
                }
                self.columns.insert(name, Column::parse(&item[1..]));
            }
        }
    }

    fn options(&mut self, words: &[String]) {
        let option = |keys: &[&[&str]]| keys.iter().find_map(|key| after(words, key)).unwrap_or_default();
        self.engine = option(&[&["engine"]]);
        self.charset = option(&[&["charset"], &["character", "set"]]);
        self.collation = option(&[&["collate"]]);
        self.versioned = has(words, &["system", "versioning"]);
        self.partitioned = has(words, &["partition", "by"]);
        // A key that comes behind the rows, by an ALTER TABLE of its own.
        if let Some(at) = words.windows(3).position(|window| window == ["add", "primary", "key"]) {
            let close = closing(words, at + 3).map_or(words.len(), |close| close + 1);
            self.primary_key = names_in_brackets(&words[at..close]);
        }
    }

    /// What the server made otherwise because of something that was asked for: half a sentence.
    pub fn implied(&self, created: &Self) -> Option<String> {
        let told = |schema: &Self| schema.told_key().unwrap_or_default();
        self.is_keyed_by_version(created)
            .then(|| format!("system versioning made {} of the primary key {}", told(created), told(self)))
    }

    /// The primary key, as `(id, row_end), 11 bytes`.
    pub fn told_key(&self) -> Option<String> {
        let bytes = self.key_bytes().map_or(String::new(), |bytes| format!(", {bytes} bytes"));
        (!self.primary_key.is_empty()).then(|| format!("({}){bytes}", self.primary_key.join(", ")))
    }

    /// Versions of one row have one id, so the end of each belongs to the primary key of a versioned table.
    fn is_keyed_by_version(&self, created: &Self) -> bool {
        let Some(end) = created.row_end.as_ref().filter(|_| self.versioned && created.versioned) else { return false };
        created.primary_key.split_last().is_some_and(|(last, rest)| last == end && rest == self.primary_key)
    }

    fn key_bytes(&self) -> Option<u32> {
        let width = |name: &String| {
            let kind = self.columns.get(name)?.kind.trim_end_matches(" unsigned");
            WIDTHS.iter().find(|(known, _)| *known == kind).map(|(_, bytes)| *bytes)
        };
        self.primary_key.iter().map(width).sum()
    }

    /// The collation that a column has in effect; `None` where it cannot be known from the text.
    fn effective(&self, charset: &str, collation: &str) -> Option<String> {
        let (charset, collation) = match (charset, collation) {
            ("", "") => (self.charset.as_str(), self.collation.as_str()),
            stated => stated,
        };
        let unstated = || UNSTATED.iter().find(|(of, _)| *of == charset).map(|(_, default)| (*default).to_string());
        if collation.is_empty() { unstated() } else { Some(collation.to_string()) }
    }

    /// What the server made otherwise than `self` asked, as half sentences. Keys beside the primary one are not
    /// compared: they are created after loading.
    pub fn differences(&self, created: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let mut differ = |what: &str, asked: &str, got: &str| {
            if !asked.is_empty() && asked != got {
                found.push(format!("{what} is {got} instead of {asked}"));
            }
        };
        let keys = |schema: &Self| format!("({})", schema.primary_key.join(", "));
        let yes = |flag: bool| if flag { "on" } else { "off" };
        differ("the engine", &self.engine, &created.engine);
        differ("the character set", &self.charset, &created.charset);
        differ("the collation", &self.collation, &created.effective("", "").unwrap_or_else(|| "not stated".into()));
        let by_version = created.row_end.as_ref().filter(|_| self.is_keyed_by_version(created));
        if by_version.is_none() {
            differ("the primary key", &keys(self), &keys(created));
        }
        differ("system versioning", yes(self.versioned), yes(created.versioned));
        differ("partitioning", yes(self.partitioned), yes(created.partitioned));
        for (name, asked) in &self.columns {
            let Some(got) = created.columns.get(name) else {
                differ(&format!("column {name}"), "there", "missing");
                continue;
            };
            let null = |column: &Column| if column.nullable { "NULL" } else { "NOT NULL" };
            differ(&format!("column {name}"), &asked.kind, &got.kind);
            // Whatever is in a primary key is NOT NULL.
            if by_version != Some(name) {
                differ(&format!("column {name}"), null(asked), null(got));
            }
            if asked.is_text() {
                let collation =
                    |schema: &Self, c: &Column| schema.effective(&c.charset, &c.collation).unwrap_or_default();
                differ(&format!("the collation of {name}"), &collation(self, asked), &collation(created, got));
            }
        }
        found
    }
}

impl Column {
    fn parse(words: &[String]) -> Self {
        let name = words.first().map_or("", String::as_str);
        let kind = match name {
            "integer" | "serial" => "int",
            "bigserial" => "bigint",
            "character" if words.get(1).is_some_and(|w| w == "varying") => "varchar",
            "character" => "char",
            "dec" | "numeric" => "decimal",
            "bool" | "boolean" => "tinyint",
            other => other,
        };
        let mut kind = kind.to_string();
        let length = if kind == "varchar" && name == "character" { 2 } else { 1 };
        if words.get(length).is_some_and(|w| w == "(") && !kind.ends_with("int") {
            let close = closing(words, length).unwrap_or(words.len() - 1);
            kind.push_str(&words[length..=close].concat());
        }
        if words.iter().any(|w| w == "unsigned") {
            kind.push_str(" unsigned");
        }
        Self {
            kind,
            nullable: !has(words, &["not", "null"]) && !name.ends_with("serial"),
            charset: after(words, &["character", "set"]).or_else(|| after(words, &["charset"])).unwrap_or_default(),
            collation: after(words, &["collate"]).unwrap_or_default(),
        }
    }
    fn is_text(&self) -> bool {
        ["char", "text", "enum", "set"].iter().any(|t| self.kind.contains(t))
    }
}

/// Words in lower case, names without their quotes, brackets and commas alone, strings whole with their quotes.
fn words(sql: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = sql.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' | '"' | '`' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        words.push(word.trim_matches(['`', '"']).to_lowercase());
        rest = after.trim_start();
    }
    words
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The place of the bracket that closes the one at `open`.
fn closing(words: &[String], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    words.iter().enumerate().skip(open).find_map(|(i, word)| {
        match word.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(i)
    })
}

/// The parts between commas that are in no bracket.
fn items(words: &[String]) -> Vec<&[String]> {
    let mut depth = 0_i32;
    words
        .split(|word| {
            depth += i32::from(word == "(") - i32::from(word == ")");
            depth == 0 && word == ","
        })
        .collect()
}

fn names_in_brackets(item: &[String]) -> Vec<String> {
    let open = item.iter().position(|w| w == "(").map_or(item.len(), |at| at + 1);
    item[open..].split(|w| w == ",").filter_map(|part| part.first().cloned()).filter(|w| w != ")").collect()
}

fn has(words: &[String], phrase: &[&str]) -> bool {
    words.windows(phrase.len()).any(|window| window.iter().zip(phrase).all(|(a, b)| a == b))
}

/// The word after a phrase, an equals sign passed over.
fn after(words: &[String], phrase: &[&str]) -> Option<String> {
    let start = words.windows(phrase.len()).position(|window| window.iter().zip(phrase).all(|(a, b)| a == b))?;
    words[start + phrase.len()..].iter().find(|w| *w != "=").cloned()
}

#[cfg(test)]
mod tests {
    use super::Schema;

    #[test]
    fn what_postgresql_says_of_a_table_is_what_was_submitted() {
        let submitted = "CREATE TABLE t (\n  id SERIAL,\n  c CHAR(120) COLLATE \"C\" DEFAULT '' NOT NULL,\n  v VARCHAR(5)\n);\n\
                         ALTER TABLE t ADD PRIMARY KEY (id);\nSELECT setval('t_id_seq', 1, true)";
        let created = |collation: &str, key: &str| {
            format!(
                "CREATE TABLE t (\n  id integer DEFAULT nextval('t_id_seq'::regclass) NOT NULL,\n  c character(120) \
                 COLLATE {collation} DEFAULT ''::bpchar NOT NULL,\n  v character varying(5) COLLATE \"default\"{key}\n);\n\
                 CREATE INDEX k ON public.t USING btree (c)"
            )
        };
        assert_eq!(differences(submitted, &created("\"C\"", ",\n  PRIMARY KEY (id)")), [] as [&str; 0]);
        let nodes = "CREATE TABLE n (\n  id BIGSERIAL\n) PARTITION BY HASH (id);\nCREATE TABLE n_p0 PARTITION OF n FOR \
                     VALUES WITH (MODULUS 1, REMAINDER 0);\nALTER TABLE n ADD PRIMARY KEY (id)";
        let made =
            "CREATE TABLE n (\n  id bigint DEFAULT nextval('n_id_seq'::regclass) NOT NULL,\n  PRIMARY KEY (id)\n)";
        assert_eq!(differences(nodes, &format!("{made} PARTITION BY HASH (id)")), [] as [&str; 0]);
        assert_eq!(differences(nodes, made), ["partitioning is off instead of on"]);
        assert_eq!(
            differences(submitted, &created("\"und-x-icu\"", "")),
            ["the primary key is () instead of (id)", "the collation of c is und-x-icu instead of c"]
        );
    }

    const SUBMITTED: &str = "CREATE TABLE sbtest1 (\n  id INTEGER NOT NULL AUTO_INCREMENT,\n  k INTEGER DEFAULT '0' NOT NULL,\n  \
        c CHAR(120) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci DEFAULT '' NOT NULL,\n  PRIMARY KEY (id)\n) \
        ENGINE=innodb DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci";
    const CREATED: &str = "CREATE TABLE `sbtest1` (\n  `id` int(11) NOT NULL AUTO_INCREMENT,\n  `k` int(11) NOT NULL DEFAULT 0,\n  \
        `c` char(120) NOT NULL DEFAULT '',\n  PRIMARY KEY (`id`),\n  KEY `k_1` (`k`)\n) ENGINE=InnoDB AUTO_INCREMENT=5001 \
        DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci";

    fn differences(submitted: &str, created: &str) -> Vec<String> {
        Schema::parse(submitted).unwrap().differences(&Schema::parse(created).unwrap())
    }

    #[test]
    fn the_servers_own_spelling_is_no_difference() {
        assert_eq!(differences(SUBMITTED, CREATED), Vec::<String>::new());
        let unstated = CREATED.replace(" COLLATE=utf8mb4_general_ci", "");
        assert_eq!(differences(SUBMITTED, &unstated), Vec::<String>::new());
    }

    #[test]
    fn a_key_that_grew_by_the_end_of_a_versions_time_is_told_where_versioning_was_asked_for() {
        let period = "  `row_end` timestamp(6) GENERATED ALWAYS AS ROW END INVISIBLE,\n  PRIMARY KEY";
        let versioned = |text: &str| format!("{} WITH SYSTEM VERSIONING", text.replace("  PRIMARY KEY", period));
        let (asked, got) = (versioned(SUBMITTED), versioned(CREATED).replace("(`id`)", "(`id`,`row_end`)"));
        assert_eq!(differences(&asked, &got), Vec::<String>::new());
        let implied = Schema::parse(&asked).unwrap().implied(&Schema::parse(&got).unwrap());
        assert_eq!(
            implied.as_deref(),
            Some("system versioning made (id, row_end), 11 bytes of the primary key (id), 4 bytes")
        );
        assert_eq!(Schema::parse(&asked).unwrap().implied(&Schema::parse(&asked).unwrap()), None);
    }

    #[test]
    fn what_the_server_changed_behind_ones_back_is_named() {
        let versioned = CREATED.replace("(`id`)", "(`id`,`row_end`)");
        assert_eq!(differences(SUBMITTED, &versioned), ["the primary key is (id, row_end) instead of (id)"]);
        assert_eq!(
            differences(SUBMITTED, &CREATED.replace("InnoDB", "Aria")),
            ["the engine is aria instead of innodb"]
        );
        let unicode = CREATED.replace("utf8mb4_general_ci", "utf8mb4_unicode_ci");
        assert_eq!(differences(SUBMITTED, &unicode).len(), 2, "the table's and the column's collation");
        let nullable = "CREATE TABLE t (d timestamp NULL)";
        let forced = "CREATE TABLE `t` (\n  `d` timestamp NOT NULL DEFAULT current_timestamp()\n) ENGINE=InnoDB";
        assert_eq!(differences(nullable, forced), ["column d is NOT NULL instead of NULL"]);
    }
}
