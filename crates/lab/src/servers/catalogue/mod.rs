//! Which builds can be started here, and which could be had. For now the distribution's own.

pub mod distribution;
pub mod probe;

use super::Build;
use crate::trouble::Trouble;
pub use distribution::{DISTRIBUTION, PACKAGE, none_installed};
use model::host::{InstalledBuild, Version};

/// Every build on this host, the default first. One binary appears under each of its names.
pub fn installed() -> Vec<Build> {
    distribution::find().into_iter().flat_map(named).collect()
}

/// A build under its own name and that of its series.
fn named(build: Build) -> [Build; 2] {
    let Version(major, minor, _) = build.installed.version;
    let series =
        InstalledBuild { name: format!("{}-{major}.{minor}", build.installed.kind), ..build.installed.clone() };
    [build.clone(), Build { installed: series, ..build }]
}

/// The installed build of that name.
pub fn find(name: &str) -> Result<Build, Trouble> {
    let builds = installed();
    if builds.is_empty() {
        return Err(none_installed());
    }
    let known: Vec<_> = builds.iter().map(|b| b.installed.name.clone()).collect();
    builds.into_iter().find(|b| b.installed.name == name).ok_or_else(|| {
        Trouble::new(format!("no build called {name} is installed")).mend(format!("installed are {}", known.join(", ")))
    })
}
