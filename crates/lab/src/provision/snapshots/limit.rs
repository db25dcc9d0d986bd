//! How much the kept snapshots may take together: what `ASSAY_SNAPSHOTS` says, else a share of the disk that grows and
//! shrinks with the room on it. Zero keeps none, and every run that writes loads its data afresh.

use crate::servers::process::folders::{Folders, free_bytes};
use crate::trouble::Trouble;
use model::units::Bytes;

/// The environment's word for it.
pub const LIMIT: &str = "ASSAY_SNAPSHOTS";
/// The share of what is free and what snapshots take already: half would leave less than one restored copy of the
/// largest.
const SHARE: f64 = 0.4;

/// What was asked for; `None` leaves it to the disk.
pub fn asked(text: Option<String>) -> Result<Option<Bytes>, Trouble> {
    let Some(text) = text else { return Ok(None) };
    let wrong =
        || Trouble::new(format!("{LIMIT} is {text}, which is no size")).mend("write it as 20 GiB, or 0 to keep none");
    Bytes::parse(&text).map(Some).ok_or_else(wrong)
}

pub fn of_the_disk(folders: &Folders, kept: Bytes) -> Result<Bytes, Trouble> {
    Ok(share(free_bytes(&folders.home)?, kept))
}

fn share(free: Bytes, kept: Bytes) -> Bytes {
    Bytes((free.0.saturating_add(kept.0) as f64 * SHARE) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_size_or_a_share_of_the_disk() {
        assert_eq!(asked(None).unwrap(), None);
        assert_eq!(asked(Some("0".into())).unwrap(), Some(Bytes(0)));
        assert_eq!(asked(Some("20 GiB".into())).unwrap(), Some(Bytes(20 << 30)));
        assert_eq!(asked(Some("20GB".into())).unwrap(), Some(Bytes(20_000_000_000)));
        assert!(asked(Some("much".into())).unwrap_err().to_string().contains("write it as 20 GiB"));
        // Keeping more does not lower the limit: the room was only moved.
        assert_eq!(share(Bytes(80), Bytes(20)), share(Bytes(50), Bytes(50)));
    }
}
