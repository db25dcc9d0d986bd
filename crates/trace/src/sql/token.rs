//! The tokens of a statement in MySQL's and MariaDB's dialect, borrowed from its bytes. Comments and blanks are passed
//! over, except optimizer hints; what stands in a versioned comment (`/*!50100 … */`, `/*M!100100 … */`) counts,
//! because a server executes it. Bytes beyond ASCII belong to names, as in UTF-8 and latin1; of GBK and SJIS, whose
//! second byte may be a backslash, a string may be taken to end late.

/// What sql_mode changes of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// ANSI_QUOTES: a double quote opens a name.
    pub ansi_quotes: bool,
    /// NO_BACKSLASH_ESCAPES.
    pub no_backslash_escapes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A keyword or a name without quotes.
    Word,
    /// A name in backticks (or in double quotes, under ANSI_QUOTES).
    Quoted,
    /// A string with its quotes, and the N before it.
    Text,
    /// Digits, with a point or an exponent or without.
    Number,
    /// `0xFF`, `x'FF'`, `0b01`, `b'01'`.
    Bits,
    /// The `?` of a prepared statement.
    Parameter,
    /// `/*+ … */`.
    Hint,
    /// `@name`, `@@global.name`, and the `@host` of an account.
    Variable,
    /// Whatever else; operators of several characters are one.
    Symbol,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a [u8],
    /// Where it begins in the statement.
    pub at: usize,
}

impl Token<'_> {
    /// Whether it is this keyword, in whatever case.
    pub fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word.as_bytes())
    }

    pub fn is_symbol(&self, symbol: &str) -> bool {
        self.kind == Kind::Symbol && self.text == symbol.as_bytes()
    }

    /// Behind its last byte.
    pub fn end(&self) -> usize {
        self.at + self.text.len()
    }
}

pub fn tokens(sql: &[u8], dialect: Dialect) -> Tokens<'_> {
    Tokens { sql, at: 0, dialect, in_versioned: false }
}

#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    sql: &'a [u8],
    at: usize,
    dialect: Dialect,
    in_versioned: bool,
}

/// Longest first: `<=>` is not `<=`.
const SYMBOLS: [&[u8]; 14] =
    [b"<=>", b"->>", b"<=", b">=", b"<>", b"!=", b"<<", b">>", b":=", b"||", b"&&", b"->", b"==", b".."];

/// A byte of a name without quotes.
pub fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let hint = self.pass_over();
        let at = self.at;
        let rest = &self.sql[at..];
        let (kind, long) = match hint {
            Some(long) => (Kind::Hint, long),
            None => self.token(rest, *rest.first()?),
        };
        self.at += long;
        Some(Token { kind, text: &rest[..long], at })
    }
}

impl<'a> Tokens<'a> {
    /// To the next token; the length of a hint, if that is what it is.
    fn pass_over(&mut self) -> Option<usize> {
        loop {
            let rest = &self.sql[self.at..];
            let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0B).count();
            let rest = &rest[blank..];
            self.at += blank;
            let comment = |ends: &[u8], from: usize| {
                let found = rest.get(from..).and_then(|rest| rest.windows(ends.len()).position(|w| w == ends));
                found.map_or(rest.len(), |at| from + at + ends.len())
            };
            let is_dashes = rest.starts_with(b"--") && rest.get(2).is_none_or(|b| *b <= b' ');
            self.at += if rest.starts_with(b"#") || is_dashes {
                comment(b"\n", 1)
            } else if rest.starts_with(b"/*+") {
                return Some(comment(b"*/", 3));
            } else if rest.starts_with(b"/*!") || rest.starts_with(b"/*M!") {
                self.in_versioned = true;
                let opening = if rest[2] == b'!' { 3 } else { 4 };
                opening + rest[opening..].iter().take_while(|byte| byte.is_ascii_digit()).count()
            } else if rest.starts_with(b"/*") {
                comment(b"*/", 2)
            } else if self.in_versioned && rest.starts_with(b"*/") {
                self.in_versioned = false;
                2
            } else {
                return None;
            };
        }
    }

    fn token(&self, rest: &'a [u8], first: u8) -> (Kind, usize) {
        let second = rest.get(1).copied();
        match first {
            b'\'' => (Kind::Text, self.quoted(rest, 0)),
            b'"' if self.dialect.ansi_quotes => (Kind::Quoted, doubled(rest, 0)),
            b'"' => (Kind::Text, self.quoted(rest, 0)),
            b'`' => (Kind::Quoted, doubled(rest, 0)),
            b'n' | b'N' if second == Some(b'\'') => (Kind::Text, self.quoted(rest, 1)),
            b'x' | b'X' | b'b' | b'B' if second == Some(b'\'') => (Kind::Bits, self.quoted(rest, 1)),
            b'@' => (Kind::Variable, self.variable(rest)),
            b'?' => (Kind::Parameter, 1),
            b'.' if second.is_some_and(|b| b.is_ascii_digit()) && !self.is_behind_name() => number(rest),
            b'0'..=b'9' if self.is_behind_point() => (Kind::Word, name(rest)),
            b'0'..=b'9' => number(rest),
            _ if is_name(first) => (Kind::Word, name(rest)),
            _ => (Kind::Symbol, SYMBOLS.iter().find(|symbol| rest.starts_with(symbol)).map_or(1, |s| s.len())),
        }
    }

    /// `t.1` is a name of a column: a point directly behind a name is no decimal point.
    fn is_behind_name(&self) -> bool {
        self.at.checked_sub(1).is_some_and(|before| is_name(self.sql[before]) || self.sql[before] == b'`')
    }

    fn is_behind_point(&self) -> bool {
        let before = &self.sql[..self.at];
        before.ends_with(b".") && before.len() >= 2 && {
            let name = before[before.len() - 2];
            is_name(name) || name == b'`'
        }
    }

    /// A string whose quote stands at `open`, its end included; an open one goes to the statement's end.
    fn quoted(&self, rest: &[u8], open: usize) -> usize {
        if self.dialect.no_backslash_escapes {
            return doubled(rest, open);
        }
        let quote = rest[open];
        let mut at = open + 1;
        while let Some(byte) = rest.get(at) {
            match *byte {
                b'\\' => at += 2,
                byte if byte == quote && rest.get(at + 1) == Some(&quote) => at += 2,
                byte if byte == quote => return at + 1,
                _ => at += 1,
            }
        }
        rest.len()
    }

    fn variable(&self, rest: &[u8]) -> usize {
        let open = rest.iter().take(2).take_while(|byte| **byte == b'@').count();
        match rest.get(open) {
            Some(b'\'' | b'"') => self.quoted(rest, open),
            Some(b'`') => doubled(rest, open),
            _ => open + rest[open..].iter().take_while(|byte| is_name(**byte) || **byte == b'.').count(),
        }
    }
}

/// What only a doubled quote escapes, from the quote at `open`.
fn doubled(rest: &[u8], open: usize) -> usize {
    let quote = rest[open];
    let mut at = open + 1;
    while let Some(byte) = rest.get(at) {
        if *byte == quote && rest.get(at + 1) == Some(&quote) {
            at += 2;
        } else if *byte == quote {
            return at + 1;
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn name(rest: &[u8]) -> usize {
    rest.iter().take_while(|byte| is_name(**byte)).count()
}

/// What begins with a digit, or with a point before one; `1abc` is a name to MySQL.
fn number(rest: &[u8]) -> (Kind, usize) {
    let long = name(rest);
    let word = &rest[..long];
    let all = |from: usize, is: fn(&u8) -> bool| word.len() > from && word[from..].iter().all(is);
    if word.starts_with(b"0x") && all(2, u8::is_ascii_hexdigit) || word.starts_with(b"0b") && all(2, |b| *b | 1 == b'1')
    {
        return (Kind::Bits, long);
    }
    let digits = |from: usize| rest[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    if end == long && rest.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if rest.get(end).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'e')) {
        let sign = usize::from(matches!(rest.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + sign).min(rest.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    if rest.get(end).is_some_and(|byte| is_name(*byte)) {
        (Kind::Word, end + name(&rest[end..]))
    } else {
        (Kind::Number, end)
    }
}
