//! Hot path: a document read where it arrived. Each value is checked when it is reached: a document that nobody looks
//! into has only its length and its end checked.

use super::{Malformed, word};

/// A whole document, or an array, whose fields are called by their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Document<'a>(&'a [u8]);

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Double(f64),
    Text(&'a str),
    Document(Document<'a>),
    Array(Document<'a>),
    /// Bytes of no particular meaning.
    Bytes(&'a [u8]),
    Boolean(bool),
    Null,
    Int32(i32),
    Int64(i64),
    /// A kind that nothing of ours asks for, by its number.
    Other(u8),
}

impl Value<'_> {
    /// A whole number of whatever width; servers are free in it.
    #[inline]
    pub fn whole(self) -> Option<i64> {
        match self {
            Self::Int32(n) => Some(i64::from(n)),
            Self::Int64(n) => Some(n),
            Self::Double(x) if x.fract() == 0.0 && x.abs() < 9e15 => Some(x as i64),
            Self::Boolean(truth) => Some(i64::from(truth)),
            Self::Double(_)
            | Self::Text(_)
            | Self::Document(_)
            | Self::Array(_)
            | Self::Bytes(_)
            | Self::Null
            | Self::Other(_) => None,
        }
    }
}

impl<'a> Document<'a> {
    /// All of these bytes are the document.
    #[inline]
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let length = word(bytes, 0).and_then(|n| usize::try_from(n).ok());
        match bytes {
            [_, _, _, _, .., 0] if length == Some(bytes.len()) => Ok(Self(bytes)),
            _ => Err(Malformed("a document is not as long as it says")),
        }
    }

    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    #[inline]
    pub fn fields(self) -> Fields<'a> {
        Fields { rest: &self.0[4..self.0.len() - 1] }
    }

    /// The value of the first field of that name.
    pub fn get(self, name: &str) -> Result<Option<Value<'a>>, Malformed> {
        for field in self.fields() {
            let (found, value) = field?;
            if found == name {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }
}

/// Names and values in their order; the first error is the last item.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(&'a str, Value<'a>), Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

impl<'a> Fields<'a> {
    #[inline]
    fn field(&mut self) -> Result<(&'a str, Value<'a>), Malformed> {
        let kind = self.take(1)?[0];
        let name = self.name()?;
        let value = match kind {
            0x01 => Value::Double(f64::from_le_bytes(self.fixed()?)),
            0x02 => Value::Text(self.text()?),
            0x03 => Value::Document(self.document()?),
            0x04 => Value::Array(self.document()?),
            0x05 => self.binary()?,
            0x08 => match self.take(1)? {
                [0] => Value::Boolean(false),
                [1] => Value::Boolean(true),
                _ => return Err(Malformed("a truth that is neither")),
            },
            0x0a => Value::Null,
            0x10 => Value::Int32(i32::from_le_bytes(self.fixed()?)),
            0x12 => Value::Int64(i64::from_le_bytes(self.fixed()?)),
            other => {
                self.skip(other)?;
                Value::Other(other)
            }
        };
        Ok((name, value))
    }

    #[inline]
    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Malformed("a value runs out of its document"))?;
        self.rest = rest;
        Ok(taken)
    }

    #[inline]
    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        Ok(self.take(N)?.try_into().expect("as many as were taken"))
    }

    fn length(&mut self) -> Result<usize, Malformed> {
        usize::try_from(i32::from_le_bytes(self.fixed()?)).map_err(|_| Malformed("a value of negative length"))
    }

    #[inline]
    fn name(&mut self) -> Result<&'a str, Malformed> {
        let end = self.rest.iter().position(|byte| *byte == 0).ok_or(Malformed("a name has no end"))?;
        let name = &self.take(end + 1)?[..end];
        std::str::from_utf8(name).map_err(|_| Malformed("a name is not UTF-8"))
    }

    fn text(&mut self) -> Result<&'a str, Malformed> {
        let length = self.length()?;
        let [text @ .., 0] = self.take(length)? else { return Err(Malformed("a text has no end")) };
        std::str::from_utf8(text).map_err(|_| Malformed("a text is not UTF-8"))
    }

    fn document(&mut self) -> Result<Document<'a>, Malformed> {
        let length = word(self.rest, 0).and_then(|n| usize::try_from(n).ok());
        Document::parse(self.take(length.ok_or(Malformed("a document without its length"))?)?)
    }

    fn binary(&mut self) -> Result<Value<'a>, Malformed> {
        let length = self.length()?;
        let meaning = self.take(1)?[0];
        let bytes = self.take(length)?;
        Ok(if meaning == 0 { Value::Bytes(bytes) } else { Value::Other(0x05) })
    }

    /// Passes over a value of a kind that nobody reads.
    fn skip(&mut self, kind: u8) -> Result<(), Malformed> {
        let bytes = match kind {
            // Nothing, the smallest, the greatest.
            0x06 | 0xff | 0x7f => 0,
            // Object ids; times and stamps; decimals.
            0x07 => 12,
            0x09 | 0x11 => 8,
            0x13 => 16,
            // Regular expressions are two names; code and symbols are texts, code with its scope says its length.
            0x0b => {
                self.name()?;
                return self.name().map(drop);
            }
            0x0d | 0x0e => return self.text().map(drop),
            0x0c => {
                self.text()?;
                12
            }
            0x0f => self.length()?.checked_sub(4).ok_or(Malformed("code without its length"))?,
            _ => return Err(Malformed("a value of no known kind")),
        };
        self.take(bytes).map(drop)
    }
}
