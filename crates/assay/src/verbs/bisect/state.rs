//! The folder of a bisect: `bisect.json`, which says what is known of every build, and the records that say it. The
//! file is written anew after every step; a search goes on only with the row, metric and limit that it began with.

use crate::arguments::said;
use crate::exit::{self, Exit};
use crate::limit::Limit;
use clap::ArgMatches;
use lab::os::digest::digest;
use model::bisection::{BISECTION_SCHEMA, Bisected, Bisection};
use std::fs;
use std::path::{Path, PathBuf};

const FILE: &str = "bisect.json";
/// Letters of a digest that name a folder.
const NAME: usize = 8;
/// Letters of a build's name in that of a folder.
const LONGEST: usize = 40;

pub struct State {
    pub folder: PathBuf,
    pub told: Bisection,
}

impl State {
    /// Begins, or goes on.
    pub fn open(matches: &ArgMatches, row: Vec<Bisected>, metric: &str, limit: Option<&Limit>) -> Result<Self, Exit> {
        let experiment = said(matches, "experiment");
        let told = Bisection {
            schema: BISECTION_SCHEMA,
            experiment: Path::new(experiment).file_stem().map_or(experiment.into(), |s| s.to_string_lossy().into()),
            metric: metric.into(),
            limit: limit.map(ToString::to_string),
            builds: row,
            answer: None,
        };
        let folder = matches.get_one::<String>("out").map_or_else(|| default_folder(matches, &told), PathBuf::from);
        let path = folder.join(FILE);
        let state = match fs::read(&path) {
            Ok(bytes) => {
                let there: Bisection = serde_json::from_slice(&bytes)
                    .map_err(|e| exit::refused(format!("{}: {e}; choose another folder with --out", path.display())))?;
                same(&there, &told).map_err(|what| {
                    exit::refused(format!(
                        "{} is a bisect of {what}; choose another folder with --out",
                        folder.display()
                    ))
                })?;
                Self { folder, told: Bisection { answer: None, ..there } }
            }
            Err(_) => Self { folder, told },
        };
        fs::create_dir_all(&state.folder)
            .map_err(|e| exit::refused(format!("{}: {e}; choose another folder with --out", state.folder.display())))?;
        Ok(state)
    }

    pub fn name(&self, at: usize) -> &str {
        &self.told.builds[at].name
    }

    /// At once or not at all: a kill leaves the file of the last step.
    pub fn write(&self) -> Result<(), Exit> {
        let (path, passing) = (self.folder.join(FILE), self.folder.join("bisect.tmp"));
        let text = serde_json::to_string_pretty(&self.told).expect("a bisection is JSON") + "\n";
        let written = fs::write(&passing, text).and_then(|()| fs::rename(&passing, &path));
        written.map_err(|e| exit::failed(format!("{}: {e}", path.display())))
    }

    /// Where the next record of this build goes.
    pub fn next_record(&self, at: usize) -> PathBuf {
        self.place(at).join((self.told.builds[at].records.len() + 1).to_string())
    }

    /// Where what its command says is kept.
    pub fn log(&self, at: usize) -> Result<PathBuf, Exit> {
        let place = self.place(at);
        fs::create_dir_all(&place).map_err(|e| exit::failed(format!("{}: {e}", place.display())))?;
        Ok(place.join("build.log"))
    }

    fn place(&self, at: usize) -> PathBuf {
        let fit = |c: char| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '-' };
        let name: String = self.name(at).chars().map(fit).take(LONGEST).collect();
        self.folder.join(format!("{at:03}-{name}"))
    }
}

/// What it is instead.
fn same(there: &Bisection, asked: &Bisection) -> Result<(), String> {
    let names = |of: &Bisection| of.builds.iter().map(|build| build.name.clone()).collect::<Vec<_>>();
    if there.schema > asked.schema {
        return Err(format!("schema {}, which a later assay wrote", there.schema));
    }
    if there.experiment != asked.experiment {
        return Err(format!("the experiment {}", there.experiment));
    }
    if (&there.metric, &there.limit) != (&asked.metric, &asked.limit) {
        return Err(there.limit.clone().unwrap_or_else(|| there.metric.clone()));
    }
    if names(there) != names(asked) { Err("another row of builds".into()) } else { Ok(()) }
}

fn default_folder(matches: &ArgMatches, told: &Bisection) -> PathBuf {
    let sets: Vec<&String> = matches.get_many::<String>("set").into_iter().flatten().collect();
    let names: Vec<&String> = told.builds.iter().map(|build| &build.name).collect();
    let text =
        format!("{:?}", (&told.experiment, &told.metric, &told.limit, names, sets, matches.get_one::<String>("scale")));
    PathBuf::from("records").join(format!("bisect-{}", &digest(text.as_bytes())[..NAME]))
}
