//! The workloads that one command knows: those of this room, and what its experiment brings along, a script or a file
//! of degrees. A value that whoever reads files fills and everybody else is handed, so that two experiments in one
//! process do not meet.

use crate::linkbench::{self, Graphs};
use crate::{ALL, Workload};
use model::words::WorkloadWords;
use std::sync::Arc;

#[derive(Clone, Default)]
pub struct Workloads {
    all: Vec<(WorkloadWords, Arc<dyn Workload>)>,
    graphs: Graphs,
}

impl Workloads {
    /// Those that nobody has to bring.
    pub fn built_in() -> Self {
        let mut workloads = Self::default();
        ALL.iter().flat_map(|members| members()).for_each(|workload| workloads.bring(workload));
        workloads
    }

    /// Knows it by its name from now on, in place of one that had that name.
    pub fn bring(&mut self, workload: Arc<dyn Workload>) {
        let words = workload.words();
        match self.all.iter_mut().find(|(known, _)| known.name == words.name) {
            Some(known) => *known = (words, workload),
            None => self.all.push((words, workload)),
        }
    }

    /// Gives LinkBench a user's Distribution.dat, which its parameter [`linkbench::DEGREES_FILE`] names by this path.
    pub fn bring_degrees(&mut self, path: &str, text: &str) -> Result<(), String> {
        self.graphs = self.graphs.with_file(path, text)?;
        linkbench::over(&self.graphs).into_iter().for_each(|workload| self.bring(workload));
        Ok(())
    }

    /// What experiments may say about them.
    pub fn words(&self) -> Vec<WorkloadWords> {
        self.all.iter().map(|(words, _)| words.clone()).collect()
    }

    pub fn by_name(&self, name: &str) -> Option<Arc<dyn Workload>> {
        self.all.iter().find(|(words, _)| words.name == name).map(|(_, workload)| Arc::clone(workload))
    }

    /// One that a plan names, which was checked against [`Workloads::words`].
    pub fn planned(&self, name: &str) -> Arc<dyn Workload> {
        self.by_name(name).expect("a plan names only known workloads")
    }

    pub fn iter(&self) -> impl Iterator<Item = &dyn Workload> {
        self.all.iter().map(|(_, workload)| &**workload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_of_ours_have_one_name() {
        assert_eq!(Workloads::built_in().all.len(), ALL.iter().map(|members| members().len()).sum::<usize>());
    }
}
