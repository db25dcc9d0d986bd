//! Hot path of the loader: the texts of the population, appended to the lines of a piece: random letters and digits as
//! the specification wants them, or one letter repeated as sysbench-tpcc writes them, which compresses well.

use crate::draw::Generator;

/// 62 letters and digits, two of them twice, so that six bits are one character.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789ae";
/// Characters of one draw.
const AT_ONCE: usize = 10;

pub(super) struct Writer<'a> {
    pub text: &'a mut Vec<u8>,
    pub generator: Generator,
    pub sysbench: bool,
}

impl Writer<'_> {
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.generator.below(high - low + 1)
    }
    pub fn number(&mut self, number: u64) {
        let mut digits = [0_u8; 20];
        let (mut from, mut rest) = (digits.len(), number);
        loop {
            from -= 1;
            digits[from] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.text.extend_from_slice(&digits[from..]);
    }
    /// A number in units behind a point, `12.05` for 1205 and two digits.
    pub fn decimal(&mut self, units: u64, digits: u32) {
        let unit = 10_u64.pow(digits);
        self.number(units / unit);
        self.text.push(b'.');
        for place in (0..digits).rev() {
            self.text.push(b'0' + (units % unit / 10_u64.pow(place) % 10) as u8);
        }
    }
    pub fn fixed(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }
    pub fn tab(&mut self) {
        self.text.push(b'\t');
    }
    pub fn end(&mut self) {
        self.text.push(b'\n');
    }
    /// Letters and digits.
    pub fn letters(&mut self, low: u64, high: u64) {
        let length = self.between(low, high) as usize;
        let mut left = length;
        while left > 0 {
            let mut bits = self.generator.below(1 << 60);
            for _ in 0..left.min(AT_ONCE) {
                self.text.push(ALPHABET[(bits & 63) as usize]);
                bits >>= 6;
            }
            left -= left.min(AT_ONCE);
        }
    }
    /// Digits.
    pub fn digits(&mut self, length: usize) {
        for _ in 0..length {
            self.text.push(b'0' + self.generator.below(10) as u8);
        }
    }
    /// Text that carries no meaning: letters, or one of them repeated.
    pub fn filling(&mut self, low: u64, high: u64) {
        if !self.sysbench {
            return self.letters(low, high);
        }
        let letter = b'a' + self.generator.below(26) as u8;
        let length = self.between(low, high) as usize;
        self.text.resize(self.text.len() + length, letter);
    }
    /// Filling of which one in ten holds ORIGINAL somewhere.
    pub fn data(&mut self, low: u64, high: u64) {
        const ORIGINAL: &[u8] = b"ORIGINAL";
        let from = self.text.len();
        self.filling(low, high);
        let length = self.text.len() - from;
        if !self.sysbench && self.generator.below(10) == 0 {
            let at = from + self.generator.below((length - ORIGINAL.len() + 1) as u64) as usize;
            self.text[at..at + ORIGINAL.len()].copy_from_slice(ORIGINAL);
        }
    }
    /// A name of a warehouse or district, and the five parts of an address behind it.
    pub fn name_and_address(&mut self) {
        match self.sysbench {
            true => {
                self.fixed("name-");
                self.letters(5, 5);
            }
            false => self.letters(6, 10),
        }
        self.tab();
        self.address();
    }
    pub fn address(&mut self) {
        for part in ["street1-", "street2-", "city-"] {
            if self.sysbench {
                self.fixed(part);
                self.letters(10, 10);
            } else {
                self.letters(10, 20);
            }
            self.tab();
        }
        for _ in 0..2 {
            let letter = b'A' + self.generator.below(26) as u8;
            self.text.push(letter);
        }
        self.tab();
        if self.sysbench {
            self.fixed("zip-");
            self.digits(5);
        } else {
            self.digits(4);
            self.fixed("11111");
        }
        self.tab();
    }
    /// A share of one up to `most` ten-thousandths, as tax or discount.
    pub fn share(&mut self, most: u64) {
        if self.sysbench {
            let cents = self.generator.below(most / 100 + 1);
            self.decimal(cents, 2);
        } else {
            let units = self.generator.below(most + 1);
            self.decimal(units, 4);
        }
        self.tab();
    }
}
