//! The causes, one file each: symptom, necessary evidence, quantitative test, intervention, sentence. The opening of a cause's file
//! is the page that `assay explain` prints. Adding a cause is adding its file and its line here.

mod temporary_tables;

use crate::finding::Cause;

pub const ALL: &[Cause] = &[temporary_tables::CAUSE];
