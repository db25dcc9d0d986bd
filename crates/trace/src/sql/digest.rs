//! What statements that differ only in their values have in common: the digest. Literals become `?`; lists of literals
//! behind IN and VALUES, of whatever length, become `(...)`, and rows that repeat one row; comments go, hints stay;
//! what SQL reserves is written in capitals, and names as the client wrote them, with their backticks. Prepared
//! statements and the same texts with values written out have one digest. It resembles performance_schema's, and is
//! none: a server's knows its grammar.

use super::token::{Dialect, Kind, Token, tokens};
use super::words::{is_before_operand, is_function, is_introducer, is_keyword};
use xxhash_rust::xxh3::xxh3_64;

/// What is shown of a normalised text; the hash is of all of it.
pub const SHOWN: usize = 4096;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest {
    /// XXH3 of the whole normalised text.
    pub hash: u64,
    /// The first `SHOWN` bytes of it, in UTF-8.
    pub text: String,
}

/// The digest of a statement under MySQL's default sql_mode.
pub fn digest(sql: &[u8]) -> Digest {
    digest_in(sql, Dialect::default())
}

pub fn digest_in(sql: &[u8], dialect: Dialect) -> Digest {
    let mut folded = Folded::default();
    tokens(sql, dialect).for_each(|token| folded.token(token));
    while folded.pieces.last() == Some(&Piece::Symbol(b";")) {
        folded.pieces.pop();
    }
    let text = written(&folded.pieces);
    let mut shown = text.len().min(SHOWN);
    while !text.is_char_boundary(shown) {
        shown -= 1;
    }
    Digest { hash: xxh3_64(text.as_bytes()), text: text[..shown].to_string() }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'a> {
    /// `?`
    Value,
    /// `(...)`
    List,
    Word(&'a [u8]),
    /// A name in quotes, a variable, a hint: written as it is.
    Verbatim(&'a [u8]),
    Symbol(&'a [u8]),
}

#[derive(Debug, Default)]
struct Folded<'a> {
    pieces: Vec<Piece<'a>>,
    /// Where parentheses were opened that are not closed yet.
    open: Vec<usize>,
}

const OPEN: Piece<'static> = Piece::Symbol(b"(");
const CLOSE: Piece<'static> = Piece::Symbol(b")");
const COMMA: Piece<'static> = Piece::Symbol(b",");

impl<'a> Folded<'a> {
    fn token(&mut self, token: Token<'a>) {
        match token.kind {
            Kind::Text | Kind::Number | Kind::Bits | Kind::Parameter => self.value(),
            Kind::Word if token.is("NULL") && self.is_operand_next(true) => self.value(),
            Kind::Word => self.pieces.push(Piece::Word(token.text)),
            // The host of an account is as much a value as its name.
            Kind::Variable if matches!(token.text.get(1), Some(b'\'' | b'"')) && self.ends_in(Piece::Value) => {
                self.pieces.extend([Piece::Symbol(b"@"), Piece::Value]);
            }
            Kind::Quoted | Kind::Variable | Kind::Hint => self.pieces.push(Piece::Verbatim(token.text)),
            Kind::Symbol if token.text == b"(" => {
                self.open.push(self.pieces.len());
                self.pieces.push(OPEN);
            }
            Kind::Symbol if token.text == b")" => self.close(),
            Kind::Symbol => self.pieces.push(Piece::Symbol(token.text)),
        }
    }

    fn ends_in(&self, piece: Piece<'_>) -> bool {
        self.pieces.last() == Some(&piece)
    }

    /// A literal, with the sign and the character set before it; strings side by side are one.
    fn value(&mut self) {
        if self.ends_in(Piece::Value) {
            return;
        }
        if let Some(Piece::Word(word)) = self.pieces.last()
            && is_introducer(word)
        {
            self.pieces.pop();
        }
        while let Some(Piece::Symbol(b"-" | b"+")) = self.pieces.last() {
            let sign = self.pieces.pop().expect("it is there");
            if !self.is_operand_next(false) {
                self.pieces.push(sign);
                break;
            }
        }
        self.pieces.push(Piece::Value);
    }

    /// Whether what comes next begins an operand. `strictly`: the beginning of the statement does not count.
    fn is_operand_next(&self, strictly: bool) -> bool {
        match self.pieces.last() {
            None => !strictly,
            Some(Piece::Value | Piece::List | Piece::Verbatim(_)) => false,
            Some(Piece::Word(word)) => is_before_operand(word) && !(strictly && word.eq_ignore_ascii_case(b"NOT")),
            Some(Piece::Symbol(symbol)) => *symbol != b")" && *symbol != b".",
        }
    }

    /// A parenthesis is closed: a list of literals becomes one piece, and a row like the one before it goes.
    fn close(&mut self) {
        let Some(open) = self.open.pop() else {
            return self.pieces.push(CLOSE);
        };
        let inside = &self.pieces[open + 1..];
        let is_list = inside.len() % 2 == 1
            && inside.iter().enumerate().all(|(at, piece)| *piece == if at % 2 == 0 { Piece::Value } else { COMMA });
        if is_list && self.may_be_list(open, inside.len() > 1) {
            self.pieces.truncate(open);
            self.pieces.push(Piece::List);
        } else {
            self.pieces.push(CLOSE);
        }
        self.drop_repeated(open);
    }

    /// `IN (…)`, `VALUES (…)`, `ROW (…)`, a row of several values; not the arguments of a function or of a type.
    fn may_be_list(&self, open: usize, is_row: bool) -> bool {
        match open.checked_sub(1).map(|before| self.pieces[before]) {
            Some(Piece::Word(word)) => {
                ["IN", "VALUES", "VALUE", "ROW"].iter().any(|listed| word.eq_ignore_ascii_case(listed.as_bytes()))
            }
            Some(Piece::Symbol(b",")) => is_row || open >= 2 && self.pieces[open - 2] == Piece::List,
            Some(Piece::Symbol(_)) | None => is_row,
            Some(Piece::Value | Piece::List | Piece::Verbatim(_)) => false,
        }
    }

    /// Forgets the row from `from` on where the one before it is the same.
    fn drop_repeated(&mut self, from: usize) {
        let long = self.pieces.len() - from;
        let Some(before) = from.checked_sub(long + 1) else { return };
        let is_repeated = self.pieces[from - 1] == COMMA && self.pieces[before..from - 1] == self.pieces[from..];
        // A name before the first row would make it the arguments of a function.
        let is_row = match before.checked_sub(1).map(|at| self.pieces[at]) {
            Some(Piece::Word(word)) => is_keyword(word) || word.eq_ignore_ascii_case(b"VALUE"),
            Some(Piece::Symbol(_)) | None => true,
            Some(Piece::Value | Piece::List | Piece::Verbatim(_)) => false,
        };
        if is_repeated && is_row {
            self.pieces.truncate(from - 1);
        }
    }
}

/// The pieces as one line.
fn written(pieces: &[Piece<'_>]) -> String {
    let mut text = String::new();
    for (at, piece) in pieces.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| pieces[before]);
        let is_call = *piece == OPEN && matches!(before, Some(Piece::Word(word)) if !is_keyword(word));
        let is_tight = matches!(piece, Piece::Symbol(b"," | b")" | b"." | b";" | b"@"))
            || matches!(before, Some(Piece::Symbol(b"(" | b"." | b"@")))
            || is_call;
        if at > 0 && !is_tight {
            text.push(' ');
        }
        match piece {
            Piece::Value => text.push('?'),
            Piece::List => text.push_str("(...)"),
            Piece::Word(word) if is_keyword(word) || pieces.get(at + 1) == Some(&OPEN) && is_function(word) => {
                text.push_str(&String::from_utf8_lossy(word).to_ascii_uppercase());
            }
            Piece::Word(bytes) | Piece::Verbatim(bytes) | Piece::Symbol(bytes) => {
                text.push_str(&String::from_utf8_lossy(bytes));
            }
        }
    }
    text
}
