//! A histogram as its text on disk, read digit by digit: reading a record is little else than this.

/// Lowest values and counts as `step:count` pairs tell them.
pub(super) struct Pairs<'a> {
    rest: &'a [u8],
    value: u64,
    /// Something else was met than such a pair, and nothing is read after it.
    pub(super) broken: bool,
}

impl<'a> Pairs<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { rest: text.as_bytes().trim_ascii(), value: 0, broken: false }
    }

    fn pair(&mut self) -> Option<(u64, u64)> {
        self.value = self.value.checked_add(self.number()?)?;
        let count = match self.rest.split_first() {
            Some((b':', after)) => {
                self.rest = after;
                self.number()?
            }
            Some(_) | None => 1,
        };
        let spaces = self.rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let ends = spaces > 0 || self.rest.is_empty();
        self.rest = &self.rest[spaces..];
        ends.then_some((self.value, count))
    }

    fn number(&mut self) -> Option<u64> {
        let (mut number, mut digits) = (0_u64, 0);
        for digit in self.rest.iter().map(|b| b.wrapping_sub(b'0')).take_while(|digit| *digit < 10) {
            number = number.checked_mul(10)?.checked_add(u64::from(digit))?;
            digits += 1;
        }
        self.rest = &self.rest[digits..];
        (digits > 0).then_some(number)
    }
}

impl Iterator for Pairs<'_> {
    type Item = (u64, u64);
    fn next(&mut self) -> Option<(u64, u64)> {
        if self.rest.is_empty() || self.broken {
            return None;
        }
        let pair = self.pair();
        self.broken = pair.is_none();
        pair
    }
}

#[cfg(test)]
mod tests {
    use super::Pairs;

    #[test]
    fn pairs_are_read_and_anything_else_is_broken() {
        let read = |text: &str| {
            let mut pairs = Pairs::of(text);
            let all: Vec<_> = pairs.by_ref().collect();
            (all, pairs.broken)
        };
        assert_eq!(read(" 64 128:3 64\n"), (vec![(64, 1), (192, 3), (256, 1)], false));
        assert_eq!(read(""), (vec![], false));
        for broken in ["64:", ":3", "64;3", "6x4", "-1", "64:3:3", "99999999999999999999", "18446744073709551615 1"] {
            assert!(read(broken).1, "{broken}");
        }
    }
}
