//! Rows that were loaded, read back and compared with the generator. A loader that lost a row, a charset that mangled a
//! text or an old dataset of another seed would all give fine numbers about other data. One wrong row fails: the sample
//! is small, so one found stands for many.

use crate::frame::applies::declared;
use crate::frame::{Applies, Check, Doubts, Look, RunEvidence, Seen, Sight};
use model::{DatasetRecord, Status};

pub const CHECK: Check = Check {
    id: "data_as_generated",
    claim: || "rows read back are those that the generator makes".into(),
    source: include_str!("data_as_generated.rs"),
    applies: Applies::Run(declared),
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "delete the dataset so that it is loaded afresh; if it happens again, the server or the connection changes texts",
    look: Look::Run(look),
};

fn look(run: &RunEvidence) -> Sight {
    if run.datasets.is_empty() {
        return Err("the run has no dataset".into());
    }
    let sum = |of: fn(&DatasetRecord) -> u64| run.datasets.iter().map(|d| of(d)).sum::<u64>();
    let (checked, wrong, rows) = (sum(|d| d.rows_checked), sum(|d| d.rows_wrong), sum(|d| d.rows));
    if checked == 0 {
        return Err("no row was read back".into());
    }
    let (status, sentence) = match wrong {
        0 => (Status::Pass, format!("{checked} of {rows} rows were read back and are as generated.")),
        n => (
            Status::Fail,
            format!(
                "{n} of {checked} rows read back differ from what the generator makes: this is the rate of other data."
            ),
        ),
    };
    Ok(Seen::new(status, format!("{wrong} rows"), "0 rows", sentence).at(run
        .datasets
        .iter()
        .map(|d| format!("datasets/{}.json", d.key))
        .collect()))
}
