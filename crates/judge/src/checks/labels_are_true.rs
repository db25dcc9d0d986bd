//! A label outlives its measurement: a legend of a study said "5.6" over a curve that was the best of several builds.
//! Labels are made from what was read back here, and this check holds the one that people choose, the name of a build,
//! against what the server says of itself. Its other half is the word "best": the highest of several levels that are
//! equally good is too high by its selection alone (0.56 times the spread of runs for two levels, 1.16 for five), so a
//! search for a peak is told with that much.
//!
//! A build whose name has another version than its server fails; a peak whose selection may weigh more than 2 % warns.

use crate::frame::{Applies, CellEvidence, Check, Doubts, Limit, Look, Seen, Sight};
use crate::stats::{selection, variation};
use model::search::Goal;
use model::{Share, Status, Version};
use std::collections::BTreeMap;

pub const CHECK: Check = Check {
    id: "labels_are_true",
    claim: || {
        format!(
            "builds are what they are called, and a peak is not more than {BEST_OF} too high for having been chosen"
        )
    },
    source: include_str!("labels_are_true.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[BEST_OF],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "correct the build's stanza; report a peak with the rate of further runs at its level",
    look: Look::Cell(look),
};

const BEST_OF: Limit = Limit::share(
    "best_of",
    0.02,
    "by how much a maximum of equal levels is too high; less than that is nobody's reason to change a server",
)
.law();

fn look(cell: &CellEvidence) -> Sight {
    let first = cell.runs.first().ok_or("there is no run")?;
    let label = &cell.cell.server.build;
    let instance = first.instance.ok_or("what the server says of itself was not recorded")?;
    let limit = format!("the server's own version; {} by selection", cell.limits.share(&BEST_OF));
    // A server that was found is called by its address, which states no version.
    if cell.cell.server.on.is_none() && is_other(label, instance.version) {
        let sentence = format!(
            "`{label}` is really {} ({}): its numbers are those of another build.",
            instance.version, instance.version_text
        );
        return Ok(Seen::new(Status::Fail, instance.version.to_string(), limit, sentence));
    }
    let sentence = format!("`{label}` is {}.", instance.version_text);
    let Some((levels, bias)) = selection(cell) else {
        return Ok(Seen::new(Status::Pass, instance.version.to_string(), limit, sentence));
    };
    let status = if bias.0 > cell.limits.of(&BEST_OF) { Status::Warn } else { Status::Pass };
    let sentence =
        format!("{sentence} The peak is the best of {levels} levels, and too high by about {bias} for that alone.");
    Ok(Seen::new(status, format!("{bias} by selection"), limit, sentence))
}

/// Whether a name states a version that this one does not begin with. A name without numbers states none.
fn is_other(label: &str, version: Version) -> bool {
    let stated: Vec<u32> = match label.find(|c: char| c.is_ascii_digit()) {
        Some(at) => label[at..].split('.').map_while(|n| n.parse().ok()).collect(),
        None => Vec::new(),
    };
    let own = [version.0, version.1, version.2];
    // One number alone is a year, a release or a wish.
    stated.len() >= 2 && stated.iter().zip(own).any(|(stated, own)| *stated != own)
}

/// How many levels a search for a peak tried, and the most that choosing the highest may have added.
fn selection(cell: &CellEvidence) -> Option<(usize, Share)> {
    let search = cell.search.as_ref().filter(|s| matches!(s.search.goal, Goal::Users))?;
    let mut levels: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for trial in search.trials.iter().filter(|t| t.cut.is_none()) {
        levels.entry(trial.level.to_bits()).or_default().extend(trial.value);
    }
    let means: Vec<(f64, usize)> =
        levels.values().filter(|l| !l.is_empty()).map(|l| (l.iter().sum::<f64>() / l.len() as f64, l.len())).collect();
    let best = means.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let spread = levels.values().filter(|l| l.len() > 1).map(|l| variation(l)).fold(0.0, f64::max);
    // Levels that were worse beyond their noise could not have been chosen.
    let near = means.iter().filter(|(mean, _)| *mean >= best.0 * (1.0 - 2.0 * spread)).count();
    (near > 1).then(|| (near, Share(selection::flattery(near as u32, spread / (best.1 as f64).sqrt()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_states_a_version_or_none() {
        let version = Version(10, 11, 19);
        assert!(
            ["mariadb-10.11", "mariadb-10.11.19", "distribution", "mysql"]
                .iter()
                .all(|label| !is_other(label, version))
        );
        assert!(["mysql-8.0.46", "mariadb-10.11.6", "mariadb-10.5"].iter().all(|label| is_other(label, version)));
    }
}
