//! Hot path: a document written field by field into a buffer that grows. Its length is known when it ends, so it is put
//! in then.

use crate::decimal;

/// A document or an array under construction; `end` closes it.
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    begin: usize,
}

/// What a value is called: in a document by a text, in an array by its place.
#[derive(Clone, Copy, Debug)]
pub enum Name<'a> {
    Field(&'a str),
    At(usize),
}

impl<'a> From<&'a str> for Name<'a> {
    fn from(name: &'a str) -> Self {
        Self::Field(name)
    }
}
impl From<usize> for Name<'_> {
    fn from(place: usize) -> Self {
        Self::At(place)
    }
}

impl<'a> Writer<'a> {
    #[inline]
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        let begin = out.len();
        out.extend_from_slice(&[0; 4]);
        Self { out, begin }
    }

    #[inline]
    fn head(&mut self, kind: u8, name: Name<'_>) {
        self.out.push(kind);
        match name {
            Name::Field(text) => {
                debug_assert!(!text.contains('\0'), "a name ends with its zero");
                self.out.extend_from_slice(text.as_bytes());
            }
            Name::At(place) => decimal::write(self.out, place as u64),
        }
        self.out.push(0);
    }

    pub fn double<'n>(&mut self, name: impl Into<Name<'n>>, number: f64) {
        self.head(0x01, name.into());
        self.out.extend_from_slice(&number.to_le_bytes());
    }

    #[inline]
    pub fn text<'n>(&mut self, name: impl Into<Name<'n>>, text: &str) {
        self.head(0x02, name.into());
        self.length(text.len() + 1);
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(0);
    }

    #[inline]
    pub fn document<'n>(&mut self, name: impl Into<Name<'n>>) -> Writer<'_> {
        self.head(0x03, name.into());
        Writer::new(self.out)
    }

    #[inline]
    pub fn array<'n>(&mut self, name: impl Into<Name<'n>>) -> Writer<'_> {
        self.head(0x04, name.into());
        Writer::new(self.out)
    }

    /// Bytes of no particular meaning.
    #[inline]
    pub fn bytes<'n>(&mut self, name: impl Into<Name<'n>>, bytes: &[u8]) {
        self.binary(name.into(), 0, bytes);
    }

    /// The sixteen bytes of a UUID.
    pub fn uuid<'n>(&mut self, name: impl Into<Name<'n>>, uuid: &[u8; 16]) {
        self.binary(name.into(), 4, uuid);
    }

    fn binary(&mut self, name: Name<'_>, meaning: u8, bytes: &[u8]) {
        self.head(0x05, name);
        self.length(bytes.len());
        self.out.push(meaning);
        self.out.extend_from_slice(bytes);
    }

    #[inline]
    pub fn boolean<'n>(&mut self, name: impl Into<Name<'n>>, truth: bool) {
        self.head(0x08, name.into());
        self.out.push(u8::from(truth));
    }

    pub fn null<'n>(&mut self, name: impl Into<Name<'n>>) {
        self.head(0x0a, name.into());
    }

    #[inline]
    pub fn int32<'n>(&mut self, name: impl Into<Name<'n>>, number: i32) {
        self.head(0x10, name.into());
        self.out.extend_from_slice(&number.to_le_bytes());
    }

    #[inline]
    pub fn int64<'n>(&mut self, name: impl Into<Name<'n>>, number: i64) {
        self.head(0x12, name.into());
        self.out.extend_from_slice(&number.to_le_bytes());
    }

    #[inline]
    fn length(&mut self, length: usize) {
        let length = i32::try_from(length).expect("a value is far below two gigabytes");
        self.out.extend_from_slice(&length.to_le_bytes());
    }

    #[inline]
    pub fn end(self) {
        self.out.push(0);
        let length = i32::try_from(self.out.len() - self.begin).expect("a document is far below two gigabytes");
        self.out[self.begin..self.begin + 4].copy_from_slice(&length.to_le_bytes());
    }
}
