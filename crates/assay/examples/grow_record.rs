//! Makes a large record out of a small one, so that the cost of judging and reporting can be measured without hours of
//! load: every run of the given experiment gets the pages of one of the template's runs, in turn, under its own name.
//! What is in them was really measured (histograms, series, seconds), only more often than it happened: nothing may be
//! concluded from it.
//!
//!     grow_record TEMPLATE EXPERIMENT.toml OUT      TEMPLATE: the record of a few cells of EXPERIMENT, one run each

use lab::notebook;
use model::experiment::Experiment;
use model::plan::Plan;
use model::words::Words;
use std::fs;
use std::io::Error;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [template, experiment, out] = &arguments[..] else {
        return Err("grow_record TEMPLATE EXPERIMENT.toml OUT".into());
    };
    let (record, _) = notebook::read(template)?;
    let text = fs::read_to_string(experiment)?;
    let words = Words {
        workloads: workload::Workloads::built_in().words(),
        disturbances: lab::disturbances::words(),
        builds: record.host.builds.iter().map(|b| b.name.clone()).collect(),
        limits: Vec::new(),
    };
    let told = |problems: Vec<model::problem::Problem>| Error::other(format!("{problems:?}"));
    let name = experiment.file_stem().and_then(|s| s.to_str()).unwrap_or("grown");
    let experiment = Experiment::parse(name, &text, None, &[], &words).map_err(told)?;
    let plan = Plan::of(&experiment, &record.host, &words).map_err(told)?;

    fs::create_dir_all(out.join("runs"))?;
    fs::write(out.join("experiment.toml"), text)?;
    fs::write(out.join("plan.json"), serde_json::to_vec_pretty(&plan)?)?;
    for whole in ["host.json", "canary.json", "notes.jsonl"] {
        fs::copy(template.join(whole), out.join(whole))?;
    }
    for folder in ["instances", "datasets"] {
        copy_files(&template.join(folder), &out.join(folder))?;
    }
    for (position, (planned, of)) in plan.runs.iter().zip(record.runs.iter().cycle()).enumerate() {
        let folder = out.join("runs").join(&planned.id.0);
        copy_files(&template.join("runs").join(&of.id.0), &folder)?;
        let mut run = of.clone();
        run.position = u32::try_from(position)?;
        (run.id, run.cell, run.seed) = (planned.id.clone(), planned.cell.clone(), planned.seed);
        (run.repetition, run.block) = (planned.repetition, planned.block);
        fs::write(folder.join("run.json"), serde_json::to_vec_pretty(&run)?)?;
    }
    println!("{} runs in {}", plan.runs.len(), out.display());
    Ok(())
}

fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
