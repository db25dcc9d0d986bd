//! Values behind a key (`--mask`), so that a trace may leave the house: each literal and each bound value is replaced
//! by another of its type and length; equal values stay equal and different ones different, in every trace of that
//! key.
//!
//! Order is kept as far as it fits, because nothing keeps order, length and distinctness at once but the values
//! themselves. Whole numbers are moved within those of as many digits (and within the ranges of the integer types) by
//! a secret distance of at most a tenth of them: they keep their order and their distances, except across the place
//! where the range is wrapped. Dates move by a secret number of days. Strings keep their first character and what kind
//! each other one is of; how one is replaced depends on those before it, so that equal beginnings stay equal (`LIKE
//! 'ab%'`).
//!
//! What is not masked: names, numbers of at most two digits (limits, states, flags), fractions, TIMEs, formats and
//! paths, and statements that hold no rows (DDL, SET, SHOW). The distance of numbers is learnt by whoever knows one
//! number and its mask: this hides data from readers, not from somebody who has part of the data.

mod number;
mod text;

use crate::sql::token::{Dialect, Kind, Token, is_name, tokens};
use crate::value::{Bound, Value};
use sha2::{Digest, Sha256};
use siphasher::sip::SipHasher24;
use std::hash::Hasher;

/// A key of fewer bytes can be guessed.
pub const SHORTEST_KEY: usize = 16;
/// Dates move by at most so many days.
const MOST_DAYS: u64 = 365;

#[derive(Clone)]
pub struct Mask {
    /// For strings, for numbers.
    keys: [(u64, u64); 2],
    /// By so many days dates move.
    days: i64,
    fingerprint: String,
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mask({})", self.fingerprint)
    }
}

impl Mask {
    /// From a secret of at least `SHORTEST_KEY` bytes; `None` for a shorter one.
    pub fn new(secret: &[u8]) -> Option<Self> {
        if secret.len() < SHORTEST_KEY {
            return None;
        }
        let derived =
            |purpose: &[u8]| -> [u8; 32] { Sha256::new().chain_update(purpose).chain_update(secret).finalize().into() };
        let key = |purpose: &[u8]| {
            let bytes = derived(purpose);
            let half = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
            (half(0), half(8))
        };
        let days = (key(b"days").0 % MOST_DAYS) as i64 + 1;
        let fingerprint = derived(b"fingerprint")[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        Some(Self { keys: [key(b"text"), key(b"number")], days, fingerprint })
    }

    pub fn fingerprint(&self) -> String {
        self.fingerprint.clone()
    }

    fn hash(&self, purpose: usize, parts: &[u64]) -> u64 {
        let (one, two) = self.keys[purpose];
        let mut hasher = SipHasher24::new_with_keys(one, two);
        parts.iter().for_each(|part| hasher.write(&part.to_le_bytes()));
        hasher.finish()
    }

    /// A statement with its literals masked and without its comments.
    pub fn sql(&self, sql: &[u8]) -> Vec<u8> {
        let mut is_code = of_code(sql);
        let mut out = Vec::with_capacity(sql.len());
        let mut before: Option<Token<'_>> = None;
        let mut limit = Limit::default();
        for token in tokens(sql, Dialect::default()) {
            let end = before.map_or(0, |token| token.end());
            // Where a comment stood, or a blank, a blank is enough.
            let touches =
                out.last().is_some_and(|byte| is_name(*byte)) && token.text.first().is_some_and(|b| is_name(*b));
            let gap = &sql[end..token.at];
            if gap.iter().all(u8::is_ascii_whitespace) {
                out.extend_from_slice(gap);
            } else if touches || !gap.is_empty() {
                out.push(b' ');
            }
            if before.is_some_and(|token| token.is_symbol(";")) {
                is_code = of_code(&sql[token.at..]);
            }
            let stays = limit.holds(&token) || is_code;
            if stays {
                out.extend_from_slice(token.text)
            } else {
                self.token(&mut out, &token)
            }
            before = Some(token);
        }
        out
    }

    fn token(&self, out: &mut Vec<u8>, token: &Token<'_>) {
        match token.kind {
            Kind::Text => {
                let open = token.text.iter().position(|byte| matches!(byte, b'\'' | b'"')).map_or(0, |at| at + 1);
                let close = if token.text.len() > open { token.text.len() - 1 } else { open };
                out.extend_from_slice(&token.text[..open]);
                out.extend_from_slice(&self.string(&token.text[open..close]));
                out.extend_from_slice(&token.text[close..]);
            }
            Kind::Number => out.extend_from_slice(&self.number(token.text)),
            Kind::Bits => out.extend_from_slice(&self.bits(token.text)),
            Kind::Word | Kind::Quoted | Kind::Parameter | Kind::Hint | Kind::Variable | Kind::Symbol => {
                out.extend_from_slice(token.text);
            }
        }
    }

    /// The values of one execute of that text, as far as it is known.
    pub fn values(&self, sql: Option<&[u8]>, values: &mut [Bound]) {
        let mut limit = Limit::default();
        let parameters = tokens(sql.unwrap_or_default(), Dialect::default())
            .map(|token| (limit.holds(&token), token))
            .filter(|(_, token)| token.kind == Kind::Parameter);
        let mut stays = parameters.map(|(stays, _)| stays);
        for bound in values {
            if !stays.next().unwrap_or(false) {
                self.bound(bound);
            }
        }
    }

    fn bound(&self, bound: &mut Bound) {
        match &mut bound.value {
            Value::Null | Value::Default | Value::Ignore | Value::Time(_) => {}
            Value::Int(value) => {
                let masked = self.whole(value.unsigned_abs());
                *value = if *value < 0 { masked.cast_signed().wrapping_neg() } else { masked.cast_signed() };
            }
            Value::UInt(value) => *value = self.whole(*value),
            Value::Float(value) => {
                let masked = self.real(f64::from(*value));
                // Beyond 24 bits its neighbours would be rounded into one.
                if value.abs() < 16_777_216.0 {
                    *value = masked as f32;
                }
            }
            Value::Double(value) => *value = self.real(*value),
            Value::Bytes(bytes) if std::str::from_utf8(bytes).is_ok() => *bytes = self.string(bytes),
            Value::Bytes(bytes) => *bytes = self.binary(bytes),
            Value::DateTime(date) => self.date(date),
        }
    }
}

/// Statements whose literals are lengths of types, settings and patterns of names, by their first words.
const CODE: [&str; 18] = [
    "ALTER", "BEGIN", "CHANGE", "CREATE", "DROP", "FLUSH", "GRANT", "INSTALL", "KILL", "LOCK", "RENAME", "RESET",
    "REVOKE", "SET", "SHOW", "START", "UNLOCK", "USE",
];

/// Whether a statement holds no data. `SET @name = …` does.
fn of_code(sql: &[u8]) -> bool {
    let mut words = tokens(sql, Dialect::default());
    let first = words.next();
    let sets_variable = words.next().is_some_and(|t| t.kind == Kind::Variable && !t.text.starts_with(b"@@"));
    first.is_some_and(|first| CODE.iter().any(|word| first.is(word)) && !(first.is("SET") && sets_variable))
}

/// Follows a statement's tokens: what LIMIT and OFFSET say is how much is asked for, and stays.
#[derive(Default)]
struct Limit(bool);

impl Limit {
    fn holds(&mut self, token: &Token<'_>) -> bool {
        let is_number = matches!(token.kind, Kind::Number | Kind::Parameter);
        let goes_on = self.0 && (is_number || token.is_symbol(","));
        self.0 = goes_on || token.is("LIMIT") || token.is("OFFSET");
        goes_on && is_number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::mysql::row::DateTime;

    fn mask() -> Mask {
        Mask::new(b"a secret of enough bytes").unwrap()
    }

    fn string(text: &str) -> String {
        String::from_utf8(mask().string(text.as_bytes())).unwrap()
    }

    #[test]
    fn numbers_keep_digits_types_distinctness_and_nearly_all_their_order() {
        let mask = mask();
        let all: Vec<u64> = (0..200_000).chain((1..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit])).collect();
        let masked: std::collections::BTreeMap<u64, u64> = all.iter().map(|n| (*n, mask.whole(*n))).collect();
        let different: std::collections::BTreeSet<&u64> = masked.values().collect();
        assert_eq!(different.len(), masked.len());
        let types =
            [i8::MAX as u64, u8::MAX as u64, i16::MAX as u64, u16::MAX as u64, i32::MAX as u64, u32::MAX as u64];
        for (plain, masked) in &masked {
            assert_eq!(plain.to_string().len(), masked.to_string().len(), "{plain}");
            assert!(types.iter().all(|most| (plain <= most) == (masked <= most)), "{plain} became {masked}");
            assert!(*plain < 100 || plain != masked, "{plain}");
        }
        let values: Vec<u64> = masked.into_values().collect();
        let falls = values.windows(2).filter(|pair| pair[0] > pair[1]).count();
        assert!(falls < 30, "{falls} times the order is lost, once in each range");
    }

    #[test]
    fn strings_keep_length_kinds_and_equal_beginnings() {
        let (one, two) = (string("Margaret Hamilton"), string("Margaret Thatcher"));
        assert_eq!((one.len(), &one[..9], &one[..1]), (17, &two[..9], "M"));
        assert!(one != two && one != "Margaret Hamilton" && one.as_bytes()[8] == b' ', "{one}");
        let kinds = |text: &str| text.chars().map(|c| (c.is_lowercase(), c.is_uppercase())).collect::<Vec<_>>();
        assert_eq!(kinds(&one), kinds("Margaret Hamilton"));
        assert_ne!(string("Müller"), "Müller");
        assert_eq!(string("Ковалевская").chars().count(), 11);
        assert_ne!(string("Ковалевская"), "Ковалевская");
        let id = string("6f1ed002-ab59-4c17-9c1b-0242ac130003");
        assert!(id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') && id.len() == 36, "{id}");
    }

    #[test]
    fn dates_stay_dates_and_code_stays_code() {
        let date = string("2024-02-29 12:00:00");
        assert!(date.ends_with(" 12:00:00") && date.as_str() > "2024-02-29", "{date}");
        assert!(string("2024-03-01") > string("2024-02-29"));
        for code in ["%Y-%m-%d", "$.a.b", "$[0]", ""] {
            assert_eq!(string(code), code);
        }
        let mut never = DateTime::default();
        mask().date(&mut never);
        assert_eq!(never, DateTime::default());
    }

    #[test]
    fn statements_of_rows_are_masked_and_others_stay() {
        let sql = |text: &str| String::from_utf8(mask().sql(text.as_bytes())).unwrap();
        let masked = sql("SELECT /* user=bob */ a FROM `t` WHERE id=12345 AND n = 'it\\'s O''Neil' LIMIT 1000, 2000");
        assert!(!masked.contains("bob") && !masked.contains("12345") && !masked.contains("Neil"), "{masked}");
        assert!(
            masked.starts_with("SELECT  a FROM `t` WHERE id=1") || masked.starts_with("SELECT a FROM `t` WHERE id=1")
        );
        assert!(masked.contains("\\'") && masked.contains("''") && masked.ends_with(" LIMIT 1000, 2000"), "{masked}");
        let digest = |text: &str| crate::digest(text.as_bytes());
        assert_eq!(digest(&masked), digest("SELECT a FROM `t` WHERE id=1 AND n = 'x' LIMIT 1, 2"));
        assert_eq!(
            sql("CREATE TABLE t (a VARCHAR(255) DEFAULT 'abc')"),
            "CREATE TABLE t (a VARCHAR(255) DEFAULT 'abc')"
        );
    }

    #[test]
    fn a_number_is_masked_alike_as_a_literal_a_string_and_a_bound_value() {
        let mask = mask();
        let mut values = vec![Bound { code: 8, unsigned: false, value: Value::Int(-54321) }];
        mask.values(Some(b"SELECT ?"), &mut values);
        let Value::Int(bound) = values[0].value else { panic!("{values:?}") };
        assert_eq!(bound.to_string(), format!("-{}", string("54321")));
        assert_eq!(string("-54321.75"), format!("{bound}.75"));
        let mut limit = vec![Bound { code: 8, unsigned: false, value: Value::Int(500) }];
        mask.values(Some(b"SELECT 1 LIMIT ?"), &mut limit);
        assert_eq!(limit[0].value, Value::Int(500));
    }

    #[test]
    fn a_key_that_can_be_guessed_is_refused_and_another_key_gives_other_values() {
        assert!(Mask::new(b"short").is_none());
        let other = Mask::new(b"another secret of enough bytes").unwrap();
        assert_ne!(other.fingerprint(), mask().fingerprint());
        assert_ne!(other.string(b"Margaret Hamilton"), mask().string(b"Margaret Hamilton"));
    }
}
