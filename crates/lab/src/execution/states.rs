//! What holds at the two ends of a run, outside of everything that is measured: what the server says, what the kernel
//! says of its process and of ours, and how it is set itself. Written down once per change; a run keeps the names.

use crate::backends::access::LoadPlan;
use crate::backends::needs::DatasetNeed;
use crate::backends::of_up;
use crate::backends::up::{Serving, Up};
use crate::notebook::Notebook;
use crate::os::{knobs, limits};
use crate::trouble::Trouble;
use model::plan::Stage;
use model::record::run::RunRecord;
use model::record::state::{Facet, State};
use std::collections::BTreeMap;

/// Reads all facets now, and keeps them; their names.
pub(crate) fn keep(
    notebook: &Notebook,
    up: &Up,
    stages: &[(Stage, LoadPlan)],
    needs: &[DatasetNeed],
) -> Result<BTreeMap<Facet, String>, Trouble> {
    let users: Vec<_> = stages.iter().flat_map(|(_, load_plan)| &load_plan.user_groups).collect();
    let mut states = of_up(up).observe(up, &users, needs);
    states.extend(of_processes(up));
    states.push(State::new(Facet::Client, limits::of_main(std::process::id())));
    states.push(State::new(Facet::Kernel, knobs::of_kernel()));
    states.iter().map(|state| Ok((state.facet, notebook.state(state)?))).collect()
}

/// Keeps what was seen while users were at work.
pub(crate) fn keep_meanwhile(notebook: &Notebook, states: &[State], record: &mut RunRecord) -> Result<(), Trouble> {
    let kept = states.iter().map(|state| Ok((state.facet, notebook.state(state)?))).collect::<Result<_, Trouble>>()?;
    record.states.iter_mut().for_each(|states| states.meanwhile = Vec::clone(&kept));
    Ok(())
}

/// Where the server runs on this host and its processes are known.
fn of_processes(up: &Up) -> Option<State> {
    let pid = up.server.pid()?;
    let mut facts = limits::of_process(pid);
    if let Serving::Found(_) = up.server {
        // One of ours is started anew whenever its data are.
        facts.extend(limits::started(pid).map(|when| ("started".to_string(), when)));
    }
    for (number, node) in (2..).zip(&up.nodes) {
        let of_node = limits::of_process(node.instance.pid());
        facts.extend(of_node.into_iter().map(|(name, value)| (format!("node {number}: {name}"), value)));
    }
    (!facts.is_empty()).then(|| State::new(Facet::Process, facts))
}
