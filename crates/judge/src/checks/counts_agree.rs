//! What the client says it sent and what the server says it was asked are two witnesses that do not know each other.
//! When they disagree, somebody else used the server, or errors were swallowed, or the load counts what it did not do.
//! Compared are whole runs, from before the first user connected until after the last one left, when the server was
//! quiet at both ends: requests with `Questions` less what assay's own sampler asked, commits with `Com_commit`,
//! rollbacks with `Com_rollback`, statements that write with `Com_insert`, `Com_update` and `Com_delete`, and the rows
//! that they changed with `Handler_write`, `_update` and `_delete` (MariaDB) or `Innodb_rows_*` (InnoDB in MySQL). Of a
//! cluster the nodes are summed, and what was written is left out: each node counts what it applies for the others,
//! too. What a disturbance asked is added to the client's side.
//!
//! What the load did and the server's counter for it was not read cannot be said to agree. Rows that this server counts
//! under no name are told beside what was compared.
//!
//! Where the server counts statements by account (`performance_schema`, `userstat`), who sent those that were not
//! the load's is told by user and host.
//!
//! A few statements beside the load (16) pass, since the lab itself has a session or two; up to 0.5 % and two per user
//! warn; above, it fails.

use crate::frame::applies::{Applies, mysql, tables};
use crate::frame::check::{Check, Doubts, Look, Need, Seen, Sight, graded};
use crate::frame::evidence::RunEvidence;
use crate::frame::limits::Limit;
use crate::frame::naming::listed;
use crate::frame::strangers;
use model::record::disturbance::Asked;
use model::record::run::RunRecord;
use model::units::Share;
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "counts_agree",
    claim: || format!("client and server count the same requests, commits and rollbacks, within {COUNTS_APART}"),
    source: include_str!("counts_agree.rs"),
    applies: Applies::Run(|run| tables(run).or_else(|| mysql(run))),
    needs: &[Need::WholeCounter(QUESTIONS), Need::WholeCounter(SAMPLER)],
    limits: &[COUNTS_APART, COUNTS_OFF],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "see that nobody else uses the server; if nobody does, the load miscounts, and no number of this run holds",
    look: Look::Run(look),
};

pub(super) const COUNTS_APART: Limit =
    Limit::number("counts_apart", 16.0, "statements of the lab's own sessions at the ends of a run").law();
pub(super) const COUNTS_OFF: Limit =
    Limit::share("counts_off", 0.005, "a count that is off by more is off in the third digit of the rate").law();

const QUESTIONS: &str = "status.Questions";
const SAMPLER: &str = "sampler.statements";

const STATEMENTS: &[&str] = &["status.Com_insert", "status.Com_update", "status.Com_delete"];
/// A statement that is prepared again, because its table has changed, is counted again.
const AGAIN: &str = "status.Com_stmt_reprepare";
/// What a statement wrote stays counted when its transaction is rolled back, on both sides.
const ROWS: &[&str] = &["status.Handler_write", "status.Handler_update", "status.Handler_delete"];
/// Where rows of temporary tables are counted apart; elsewhere `ROWS` has them, too.
const TEMPORARY: &str = "status.Handler_tmp_write";
const ROWS_OF_INNODB: &[&str] =
    &["status.Innodb_rows_inserted", "status.Innodb_rows_updated", "status.Innodb_rows_deleted"];

/// Requests that each user may have had in flight when the run was cut.
const IN_FLIGHT: f64 = 2.0;

fn look(run: &RunEvidence) -> Sight {
    let whole = &run.run.whole;
    let grown = |name: &str| run.grown(&whole.counters, name).map(|growth| growth.delta);
    let asked = grown(QUESTIONS).zip(grown(SAMPLER)).map(|(all, own)| all - own);
    let all = |names: &[&str]| names.iter().map(|name| grown(name)).sum::<Option<f64>>();
    let beside = beside(run.run)?;
    let laws = [
        ("requests", whole.questions + beside.questions, asked),
        ("commits", whole.commits + beside.commits, grown("status.Com_commit")),
        ("rollbacks", whole.rollbacks + beside.rollbacks, grown("status.Com_rollback")),
    ];
    let rows = if grown(TEMPORARY).is_some() { all(ROWS) } else { all(ROWS_OF_INNODB) };
    // Who comes past SQL writes without a statement.
    let by_key = run.cell.past_sql().next().is_some();
    let told = whole.writes.filter(|_| run.cell.server.topology.is_single() && !by_key);
    let counted = |what, client: Option<u64>, server| client.map(|client| (what, client, server));
    let writes = told.map(|w| {
        let (statements, rows_of_users) = (w.statements + beside.writes, w.rows.map(|rows| rows + beside.rows));
        [
            counted("writing statements", Some(statements), once(statements, all(STATEMENTS), grown(AGAIN))),
            counted("rows written", rows_of_users, rows),
        ]
    });
    let writes: Vec<_> = writes.into_iter().flatten().flatten().collect();
    let is_silent = |(_, client, server): &&(&str, u64, Option<f64>)| *client > 0 && server.is_none();
    if let Some((what, ..)) = laws.iter().find(is_silent) {
        return Err(format!("the load had {what}, and the server's count of them was not read"));
    }
    let uncounted: Vec<&str> = writes.iter().filter(is_silent).map(|(what, ..)| *what).collect();
    let known =
        laws.into_iter().chain(writes).filter_map(|(what, client, server)| Some((what, client as f64, server?)));
    let (apart, share) = (run.limits.of(&COUNTS_APART), run.limits.share(&COUNTS_OFF));
    let judged = known.map(|(what, client, server)| {
        let (off, most) = ((client - server).abs(), share.0 * client + IN_FLIGHT * f64::from(run.users()));
        (graded(off, apart, most.max(apart)), what, client, server)
    });
    let (status, what, client, server) =
        judged.reduce(|worst, next| if next.0 > worst.0 { next } else { worst }).expect("requests are needed");
    let measured = format!("{} apart", (client - server).abs());
    let sentence = match status {
        Status::NotApplicable | Status::Pass | Status::NotEvaluable => {
            let beside = match uncounted.is_empty() {
                true => String::new(),
                false => format!(" The server has no count of {}.", listed(&uncounted)),
            };
            format!("The client counts {client} {what} and the server {server}.{beside}")
        }
        Status::Warn | Status::Fail => {
            let apart = Share((client / server.max(1.0) - 1.0).abs());
            // Who asks makes the server's count larger.
            let who = (server > client).then(|| strangers::askers(run)).flatten();
            let who = who.map_or(String::new(), |who| format!(" {who}"));
            format!(
                "The client counts {client} {what}, the server {server}: somebody else worked there, or one of the two miscounts ({apart} apart).{who}"
            )
        }
    };
    Ok(Seen::new(status, measured, format!("{apart}, or {share} and {IN_FLIGHT} per user"), sentence))
}

/// What the server counts without what it may have counted twice.
fn once(client: u64, server: Option<f64>, again: Option<f64>) -> Option<f64> {
    server.map(|server| server - again.unwrap_or_default().min((server - client as f64).max(0.0)))
}

/// What disturbances asked of the server; an error where nobody counted that.
fn beside(run: &RunRecord) -> Result<Asked, String> {
    let mut sum = Asked::default();
    for deed in run.phases.iter().filter_map(|p| p.disturbance.as_ref()) {
        let Some(asked) = deed.asked else {
            return Err(format!("nobody counts what {} asked of the server", deed.what));
        };
        sum.questions += asked.questions;
        sum.commits += asked.commits;
        sum.rollbacks += asked.rollbacks;
        sum.writes += asked.writes;
        sum.rows += asked.rows;
    }
    Ok(sum)
}
