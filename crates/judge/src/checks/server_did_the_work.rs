//! An answer from a cache of results costs nothing, and a benchmark that repeats its questions measures the cache:
//! published medians were a thousand times too good by nothing else. Two signs are read: answers that the server took
//! from its query cache, and selects that read no row by any handler although rows were returned.
//!
//! More than 0.1 % of the selects from the cache fail, unless the cache is what the experiment varies.

use crate::frame::applies::{Absence, Applies, mysql};
use crate::frame::check::{Check, Doubts, Look, Seen, Sight};
use crate::frame::evidence::RunEvidence;
use crate::frame::limits::Limit;
use model::units::Share;
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "server_did_the_work",
    claim: || format!("fewer than {CACHED} of the selects were answered from a cache of results"),
    source: include_str!("server_did_the_work.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[CACHED],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "switch the query cache off ([server.settings] query_cache = false), or make it an axis of the question",
    look: Look::Run(look),
};

const CACHED: Limit =
    Limit::share("cached", 0.001, "of selects answered without executing them; more is no accident").convention();

const HITS: &str = "db.query_cache_hits";
const SELECTS: &str = "db.selects";
const HANDLERS: &str = "db.handler_reads";
/// The axis that declares the cache to be the subject.
const AXIS: &str = "settings.query_cache";

fn absent(run: &RunEvidence) -> Absence {
    if run.cell.past_sql().next().is_some() {
        return Some("Users come past SQL, where no cache of results is, and no handler counts for all.".into());
    }
    let selects = run.growth(SELECTS).map(|grown| grown.delta + run.growth(HITS).map_or(0.0, |hits| hits.delta));
    let idle = || selects.is_some_and(|all| all <= 0.0);
    mysql(run).or_else(|| idle().then(|| "Nothing was selected, so nothing comes from a cache.".into()))
}

fn look(run: &RunEvidence) -> Sight {
    let grown = |name: &str| run.growth(name).map(|g| g.delta);
    let rows: u64 = run.statements().map(|(_, s)| s.rows).sum();
    let selects = grown(SELECTS).ok_or("the server's selects were not counted")?;
    // Servers without the cache have no counter of it.
    let hits = grown(HITS).unwrap_or(0.0);
    let all = selects + hits;
    let (share, most) = (Share(hits / all), run.limits.share(&CACHED));
    let limit = format!("{most} of the selects");
    if share.0 > most.0 && run.cell.axes.contains_key(AXIS) {
        let sentence =
            format!("{share} of the selects came from the query cache, which is what this experiment varies.");
        return Ok(Seen::new(Status::Pass, share.to_string(), limit, sentence));
    }
    if share.0 > most.0 {
        let sentence =
            format!("{share} of the selects were answered from the query cache: this is the rate of the cache.");
        return Ok(Seen::new(Status::Fail, share.to_string(), limit, sentence));
    }
    if rows > 0 && grown(HANDLERS) == Some(0.0) {
        let sentence = format!("{rows} rows were returned and none was read by a handler: somebody else answered.");
        return Ok(Seen::new(Status::Fail, "0 rows read", limit, sentence));
    }
    let sentence = format!("{share} of {all} selects came from a cache of results.");
    Ok(Seen::new(Status::Pass, share.to_string(), limit, sentence))
}
