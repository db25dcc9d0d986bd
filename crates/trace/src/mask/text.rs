//! Strings behind a key: as long as before, with characters of the same kinds. What looks like a date, a number or
//! hexadecimal stays one; formats (`%Y-%m`) and JSON paths (`$.a`), which are code and no data, stay as they are.

use super::Mask;
use wire::mysql::row::DateTime;

const TEXT: usize = 0;
/// A string of fewer hexadecimal digits is rather a word, as `decade`.
const SHORTEST_HEX: usize = 8;

impl Mask {
    pub fn string(&self, text: &[u8]) -> Vec<u8> {
        if is_code(text) {
            return text.to_vec();
        }
        if let Some(dated) = self.dated(text) {
            return dated;
        }
        if let Some(number) = self.decimal(text) {
            return number;
        }
        let is_hex = text.len() >= SHORTEST_HEX
            && text.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
            && text.iter().any(u8::is_ascii_digit);
        if is_hex { self.hexadecimal(text) } else { self.characters(text, kind) }
    }

    /// What is no text: each byte but the first becomes another.
    pub(super) fn binary(&self, bytes: &[u8]) -> Vec<u8> {
        let (mut out, mut chain) = (Vec::with_capacity(bytes.len()), 0);
        for (at, byte) in bytes.iter().enumerate() {
            let moved = if at > 0 { self.hash(TEXT, &[chain]) as u8 } else { 0 };
            out.push(byte.wrapping_add(moved));
            chain = self.hash(TEXT, &[chain, u64::from(*byte)]);
        }
        out
    }

    /// `-12345.67` as a string.
    fn decimal(&self, text: &[u8]) -> Option<Vec<u8>> {
        let sign = usize::from(text.first().is_some_and(|byte| b"+-".contains(byte)));
        let digits = &text[sign..];
        let points = digits.iter().filter(|byte| **byte == b'.').count();
        let is_number = digits.first().is_some_and(u8::is_ascii_digit) && points <= 1;
        let is_number = is_number && digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
        is_number.then(|| [&text[..sign], &self.number(digits)].concat())
    }

    pub(super) fn hexadecimal(&self, text: &[u8]) -> Vec<u8> {
        self.characters(text, |byte| match byte {
            b'0'..=b'9' | b'a'..=b'f' => Some(b"0123456789abcdef"),
            b'A'..=b'F' => Some(b"ABCDEF"),
            _ => None,
        })
    }

    /// Each character but the first becomes another of its kind, as the key and those before it say.
    fn characters(&self, text: &[u8], kind: fn(u8) -> Option<&'static [u8]>) -> Vec<u8> {
        let (mut out, mut chain, mut is_escaped) = (Vec::with_capacity(text.len()), 0, false);
        for (at, byte) in text.iter().enumerate() {
            let ends_character = is_continuing(*byte) && !text.get(at + 1).is_some_and(|next| is_continuing(*next));
            let others = if ends_character { Some(&CONTINUING[..]) } else { kind(*byte) };
            let replaced = match others {
                Some(others) if at > 0 && !is_escaped => {
                    let place = others.iter().position(|other| other == byte).unwrap_or(0) as u64;
                    others[((place + self.hash(TEXT, &[chain]) % others.len() as u64) % others.len() as u64) as usize]
                }
                Some(_) | None => *byte,
            };
            is_escaped = *byte == b'\\' && !is_escaped;
            chain = self.hash(TEXT, &[chain, u64::from(*byte)]);
            out.push(replaced);
        }
        out
    }

    /// `2024-02-29`, `2024-02-29 12:00:00.5`, `2024-02-29T12:00:00Z` with its day moved.
    fn dated(&self, text: &[u8]) -> Option<Vec<u8>> {
        let (day, rest) = text.split_at_checked(10)?;
        let is_clock = |byte: &u8| byte.is_ascii_digit() || b" T:.Z+-".contains(byte);
        if day[4] != b'-' || day[7] != b'-' || !rest.iter().all(is_clock) {
            return None;
        }
        let number = |from: usize, to: usize| std::str::from_utf8(&day[from..to]).ok()?.parse::<u16>().ok();
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
        if month > 12 || day > 31 {
            return None;
        }
        let mut date = DateTime { year, month, day, ..DateTime::default() };
        self.date(&mut date);
        let day = format!("{:04}-{:02}-{:02}", date.year, date.month, date.day);
        Some([day.as_bytes(), rest].concat())
    }
}

/// The characters that one of them may become; `None`: it stays.
fn kind(byte: u8) -> Option<&'static [u8]> {
    match byte {
        b'0'..=b'9' => Some(b"0123456789"),
        b'a'..=b'z' => Some(b"abcdefghijklmnopqrstuvwxyz"),
        b'A'..=b'Z' => Some(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        _ => None,
    }
}

/// The bytes of a character of UTF-8 behind its first; whichever of them is the last, the character is one.
const CONTINUING: [u8; 64] = {
    let (mut all, mut at) = ([0; 64], 0);
    while at < 64 {
        all[at] = 0x80 + at as u8;
        at += 1;
    }
    all
};

fn is_continuing(byte: u8) -> bool {
    (0x80..0xC0).contains(&byte)
}

/// A format of dates or a path into JSON.
fn is_code(text: &[u8]) -> bool {
    if text.starts_with(b"$") && text.get(1).is_none_or(|next| matches!(next, b'.' | b'[')) {
        return true;
    }
    let (mut rest, mut formats) = (text, 0);
    while let Some((byte, after)) = rest.split_first() {
        rest = match (byte, after.split_first()) {
            (b'%', Some((letter, behind))) if letter.is_ascii_alphabetic() => {
                formats += 1;
                behind
            }
            (byte, _) if byte.is_ascii_alphanumeric() || *byte >= 0x80 => return false,
            _ => after,
        };
    }
    formats > 0
}
