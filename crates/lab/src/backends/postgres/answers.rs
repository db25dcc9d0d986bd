//! How a PostgreSQL means to carry out each statement, and what it answers: asked before the users come, with the same
//! values on every server, and once more when they have left. A plan is told without its costs, which are estimates
//! and change with every ANALYZE.

use super::session::control::Control;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mysql::answers::{answered, probes, sample, without_values};
use model::protocol::Protocol;
use model::record::answer::StatementPlan;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use workload::session::Fault;
use workload::{Parameters, Probe, Workload};

/// A statement of the workload takes no longer.
const PATIENCE: Duration = Duration::from_secs(3600);

/// The statements of a workload with the first of the values that are asked for.
pub(super) fn probes_of(workload: &dyn Workload, parameters: &Parameters) -> Vec<Probe> {
    probes(Protocol::PostgreSql, workload, parameters).swap_remove(0)
}

/// Further values are asked for as long as all of them took no longer than `patience`.
pub(super) fn plans(
    endpoint: &SqlEndpoint,
    workload: &dyn Workload,
    parameters: &Parameters,
    patience: Duration,
) -> Result<Vec<StatementPlan>, Fault> {
    let probes = probes(Protocol::PostgreSql, workload, parameters);
    let Some((first, others)) = probes.split_first().filter(|(first, _)| !first.is_empty()) else {
        return Ok(Vec::new());
    };
    let mut control = Control::connect(endpoint, PATIENCE)?;
    let mut plans = first.iter().map(|probe| plan(&mut control, probe)).collect::<Result<Vec<_>, _>>()?;
    let begun = Instant::now();
    for others in others.iter().take_while(|_| begun.elapsed() < patience) {
        for (plan, probe) in plans.iter_mut().zip(others).filter(|(plan, probe)| plan.statement == probe.statement) {
            let explain = explain(&mut control, &probe.sql)?;
            sample(plan, probe, explain, |sql| control.rows(sql))?;
        }
    }
    control.quit();
    Ok(plans)
}

/// Plans of the same statements now, where they read otherwise.
pub(super) fn again(endpoint: &SqlEndpoint, plans: &[StatementPlan]) -> Result<BTreeMap<String, String>, Fault> {
    let mut control = Control::connect(endpoint, PATIENCE)?;
    let mut changed = BTreeMap::new();
    for plan in plans {
        let now = explain(&mut control, &plan.sql)?;
        if without_values(&now) != without_values(&plan.explain) {
            changed.insert(plan.statement.clone(), now);
        }
    }
    control.quit();
    Ok(changed)
}

fn explain(control: &mut Control, sql: &str) -> Result<String, Fault> {
    match control.rows(&format!("EXPLAIN (COSTS OFF) {sql}")) {
        Ok(rows) => Ok(rows.into_iter().flatten().flatten().collect::<Vec<_>>().join("\n")),
        Err(refused @ Fault::Server { .. }) => Ok(format!("not explained by this server: {refused}")),
        Err(other) => Err(other),
    }
}

/// One execution; what it writes is rolled back.
fn plan(control: &mut Control, probe: &Probe) -> Result<StatementPlan, Fault> {
    let explain = explain(control, &probe.sql)?;
    let (rows, answers) = if probe.writes {
        control.execute("BEGIN")?;
        let rows = control.execute(&probe.sql)?.rows;
        control.execute("ROLLBACK")?;
        (rows, Vec::new())
    } else {
        let rows = control.rows(&probe.sql)?;
        (rows.len() as u64, vec![answered(&probe.sql, rows)])
    };
    Ok(StatementPlan {
        statement: probe.statement.to_string(),
        sql: probe.sql.clone(),
        explain,
        handlers: BTreeMap::new(),
        rows,
        other_explains: Vec::new(),
        answers,
    })
}
