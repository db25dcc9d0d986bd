//! `assay compare BASE CANDIDATE --again N`: both records' experiments carried out in turn, N times each, and decided
//! by the pairs. Each round makes two whole records, base first in one round and candidate first in the next, so that
//! what drifts from hour to hour falls on both. A record that is whole is kept, one that was interrupted is gone on
//! with: the same command, after Ctrl-C or with a larger N, makes only what is missing.

use super::Read;
use crate::exit::{self, Exit};
use crate::question::{self, Question};
use crate::verbs::{report, run};
use judge::compare::across::{self, FEWEST_PAIRS};
use model::{Compared, Nanos};
use std::path::{Path, PathBuf};

/// More would take a machine for weeks, and decide what nobody cares for.
const MOST_PAIRS: usize = 100;
/// Letters of a plan's digest that name it.
const NAME: usize = 8;

/// The pairs, from the text of the option.
pub fn parse(text: &str) -> Result<usize, String> {
    let wrong = |what: &str| {
        format!(
            "--again {text}: {what}; write how many pairs of records to make, as --again 5 ({FEWEST_PAIRS} to {MOST_PAIRS})"
        )
    };
    let pairs: usize = text.parse().map_err(|_| wrong("it is not a number"))?;
    match pairs {
        _ if pairs < FEWEST_PAIRS => Err(wrong("fewer pairs have no interval")),
        _ if pairs > MOST_PAIRS => Err(wrong("it is more than anybody should wait for")),
        _ => Ok(pairs),
    }
}

/// Carries both out in turn and compares what came of it.
pub fn run(sides: [&Read; 2], pairs: usize, out: Option<&str>, metrics: &[&str]) -> Result<Compared, Exit> {
    if let Some(side) = sides.iter().find(|side| side.cell.is_some()) {
        return Err(exit::refused(format!(
            "{}: --again makes whole records; name the record without its cell",
            side.name
        )));
    }
    let questions = [asked(sides[0])?, asked(sides[1])?];
    let folder = out.map_or_else(|| default_folder(&questions), PathBuf::from);
    let takes: Nanos = Nanos(questions.iter().map(|question| question.plan.cost.time.0).sum::<u64>() * pairs as u64);
    eprintln!("{pairs} records of each in {}, in turn: about {takes} of runs", folder.display());
    for round in 1..=pairs {
        let order = if round % 2 == 1 { [0, 1] } else { [1, 0] };
        for side in order {
            let record = place(&folder, side, round);
            eprintln!("round {round} of {pairs}: {}", record.display());
            run::measure(&questions[side], &record)?;
            report::write(&record).map_err(exit::failed)?;
        }
    }
    let made = |side: usize| -> Result<Vec<Read>, Exit> {
        let all = (1..=pairs).map(|round| super::read(&place(&folder, side, round).to_string_lossy()));
        all.map(|read| read.map_err(exit::failed)).collect()
    };
    let (base, candidate) = (made(0)?, made(1)?);
    let sides_of: Vec<_> =
        base.iter().zip(&candidate).map(|(base, candidate)| (base.side(), candidate.side())).collect();
    let compared = across::again(&sides_of, metrics);
    Ok(Compared { base: sides[0].name.clone(), candidate: sides[1].name.clone(), ..compared })
}

fn place(folder: &Path, side: usize, round: usize) -> PathBuf {
    folder.join(format!("{}-{round}", ["base", "candidate"][side]))
}

/// The question that a record answered; that it is another one today is told.
fn asked(side: &Read) -> Result<Question, Exit> {
    let question = question::of_record(&side.name, &side.record)?;
    if question.plan.hash() != side.record.plan.hash() {
        // Another build of the server or of assay, perhaps on purpose: it is what would be measured today.
        eprintln!("{}: its experiment is planned otherwise today than it was; what is made now is compared", side.name);
    }
    Ok(question)
}

fn default_folder(questions: &[Question; 2]) -> PathBuf {
    let name = |question: &Question| question.plan.hash()[..NAME].to_string();
    PathBuf::from("records").join(format!("again-{}-{}", name(&questions[0]), name(&questions[1])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_from_the_fewest_that_have_an_interval() {
        assert_eq!((parse("3"), parse("100")), (Ok(3), Ok(100)));
        for (text, what) in [("2", "no interval"), ("101", "wait"), ("few", "not a number"), ("-3", "not a number")] {
            let why = parse(text).unwrap_err();
            assert!(why.contains(what) && why.contains("--again 5"), "{why}");
        }
    }
}
