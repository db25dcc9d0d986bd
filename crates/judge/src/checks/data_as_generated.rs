//! Rows that were loaded, read back and compared with the generator. A loader that lost a row, a charset that mangled a
//! text or an old dataset of another seed would all give fine numbers about other data. One wrong row fails: the sample is
//! small, so one found stands for many.

use crate::check::{Check, Look, Seen, Sight};
use crate::evidence::RunEvidence;
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "data_as_generated",
    code: "D3",
    claim: || "rows read back are those that the generator makes".into(),
    source: include_str!("data_as_generated.rs"),
    needs: &[],
    advice: "delete the dataset so that it is loaded afresh; if it happens again, the server or the connection changes texts",
    look: Look::Run(look),
};

fn look(run: &RunEvidence) -> Sight {
    let dataset = run.dataset.ok_or("the run has no dataset")?;
    let (checked, wrong) = (dataset.rows_checked, dataset.rows_wrong);
    if checked == 0 {
        return Err("no row was read back".into());
    }
    let (status, sentence) = match wrong {
        0 => (Status::Pass, format!("{checked} of {} rows were read back and are as generated.", dataset.rows)),
        n => (Status::Fail, format!("{n} of {checked} rows read back differ from what the generator makes.")),
    };
    Ok(Seen::new(status, format!("{wrong} rows"), "0 rows", sentence)
        .at(vec![format!("datasets/{}.json", dataset.key)]))
}
