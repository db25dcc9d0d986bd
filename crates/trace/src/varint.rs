//! Whole numbers in as few bytes as they need (LEB128), and what is read with a bound: no length in a block is believed
//! before that many bytes are there.

/// Bytes that no writer of traces wrote; the block that holds them is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

pub fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Small numbers of either sign: 0, -1, 1, -2 … as 0, 1, 2, 3 …
pub fn put_signed(out: &mut Vec<u8>, value: i64) {
    put(out, (value.cast_unsigned() << 1) ^ (value >> 63).cast_unsigned());
}

pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// What is left of a block.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    pub rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub fn byte(&mut self) -> Result<u8, Malformed> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (head, rest) = self.rest.split_at_checked(count).ok_or(Malformed("it ends before its last field"))?;
        self.rest = rest;
        Ok(head)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N).map(|bytes| bytes.try_into().expect("that many were taken"))
    }

    pub fn number(&mut self) -> Result<u64, Malformed> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Malformed("a number of more than 64 bits"))
    }

    pub fn signed(&mut self) -> Result<i64, Malformed> {
        self.number().map(|n| (n >> 1).cast_signed() ^ -(n & 1).cast_signed())
    }

    pub fn narrow<T: TryFrom<u64>>(&mut self) -> Result<T, Malformed> {
        T::try_from(self.number()?).map_err(|_| Malformed("a number is larger than its field"))
    }

    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let count = self.narrow()?;
        self.take(count)
    }
}
