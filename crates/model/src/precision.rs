//! `repetitions = "until 2 %"`: how many repetitions an experiment takes follows from the noise that is met, between a
//! fewest and a most. The plan holds the most; after each whole block somebody who knows statistics is asked whether
//! what was measured is enough (`judge::curves::until`), and the blocks behind that are left out. Whole blocks, because
//! a comparison pairs the runs of a block.

use crate::units::Share;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Precision {
    /// The 95 % interval of each rate is to reach no further than this to both sides.
    pub within: Share,
    /// Blocks after which it ends in any case.
    pub most: u32,
}

impl Precision {
    pub const FORMS: &str = "\"until 2 %\" or \"until 2 %, at most 30\"";
    /// Fewer tell a spread too badly to stop by it.
    pub const FEWEST: u32 = 5;
    /// Where the file says none: with a spread of 5 % between runs it reaches 2 %.
    pub const MOST: u32 = 30;
    /// Less is within what no machine repeats, more tells nothing.
    const WITHIN: std::ops::RangeInclusive<f64> = 0.001..=0.5;

    /// Reads `until 2 %, at most 30`; what is wrong is said in words. `limit` is the most that anybody may ask for.
    pub fn parse(text: &str, limit: u32) -> Result<Self, String> {
        let rest = text.trim().strip_prefix("until").ok_or(format!("`{text}` does not begin with until"))?;
        let (within, most) = match rest.split_once(',') {
            Some((within, most)) => (within, Some(most)),
            None => (rest, None),
        };
        let percent = within.trim().strip_suffix('%').ok_or(format!("`{}` is not a percentage", within.trim()))?;
        let share = percent.trim().parse::<f64>().map_err(|_| format!("`{}` is not a number", percent.trim()))? / 100.0;
        if !Self::WITHIN.contains(&share) {
            return Err(format!(
                "{} is not between {} and {}",
                Share(share),
                Share(*Self::WITHIN.start()),
                Share(*Self::WITHIN.end())
            ));
        }
        let most = match most.map(str::trim) {
            None => Self::MOST,
            Some(text) => {
                let count = text.strip_prefix("at most").ok_or(format!("`{text}` does not say at most how many"))?;
                count.trim().parse().map_err(|_| format!("`{}` is not a whole number", count.trim()))?
            }
        };
        if !(Self::FEWEST..=limit).contains(&most) {
            return Err(format!("at most {most} is not between {} and {limit}", Self::FEWEST));
        }
        Ok(Self { within: Share(share), most })
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "until {}, at most {}", self.within, self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_is_written() {
        let until = Precision::parse("until 2 %", 1_000).unwrap();
        assert_eq!(until, Precision { within: Share(0.02), most: Precision::MOST });
        assert_eq!(until.to_string(), "until 2 %, at most 30");
        assert_eq!(Precision::parse(&until.to_string(), 1_000), Ok(until));
        for (text, said) in [
            ("2 %", "`2 %` does not begin with until"),
            ("until 2", "`2` is not a percentage"),
            ("until few %", "`few` is not a number"),
            ("until 0 %", "0 % is not between 0.1 % and 50 %"),
            ("until 2 %, 10", "`10` does not say at most how many"),
            ("until 2 %, at most 3", "at most 3 is not between 5 and 1000"),
            ("until 2 %, at most many", "`many` is not a whole number"),
        ] {
            assert_eq!(Precision::parse(text, 1_000).unwrap_err(), said);
        }
    }
}
