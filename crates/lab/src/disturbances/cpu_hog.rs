//! Somebody else's programs on the server's CPUs: processes that do nothing but spend time there, as a neighbour on the
//! same machine does. Each is under guard, so that none outlives the lab. How much they got is read from the kernel,
//! because on a busy machine a hog gets only its share.

use super::scene::seconds;
use super::{Deed, Disturbance, Scene};
use crate::os::process::{Guarded, Order};
use crate::trouble::Trouble;
use model::words::{DisturbanceWords, work};
use std::time::{Duration, Instant};

pub const DISTURBANCE: Disturbance = Disturbance {
    words: DisturbanceWords::new(
        "cpu_hog",
        "processes that spend the CPUs of the server",
        &[work("processes", "how many there are").count(1, [1, 1_000])],
    ),
    act,
};

/// Every shell spins without asking the kernel for anything.
const SPIN: &[&str] = &["/bin/sh", "-c", "while :; do :; done"];
const LOOK: Duration = Duration::from_millis(200);

fn act(scene: &Scene) -> Result<Deed, Trouble> {
    let room = scene.place.folders.claim_socket()?;
    let command: Vec<String> = SPIN.iter().map(|word| (*word).to_string()).collect();
    let order = Order {
        command: &command,
        cpus: &scene.place.cpus,
        memory: None,
        log: &room.folder().join("log"),
        input: None,
        owner: &room.owner(),
    };
    let hogs = (0..scene.count("processes")).map(|_| Guarded::spawn(&scene.place.guard, &order));
    let mut hogs = hogs.collect::<Result<Vec<_>, _>>()?;
    let begun = Instant::now();
    let mut died = None;
    while !scene.bell.wait(LOOK) && died.is_none() {
        died = hogs.iter_mut().find_map(|hog| hog.wait(Duration::ZERO));
    }
    let spent: f64 = hogs.iter().filter_map(|hog| crate::os::procfs::cpu_of(hog.pid())).sum();
    for hog in &mut hogs {
        hog.kill();
    }
    drop(hogs);
    let count = scene.count("processes");
    let processes = if count == 1 { "process" } else { "processes" };
    let sentence =
        format!("{count} {processes} spent {spent:.2} s of CPU in {} s on the server's CPUs.", seconds(begun));
    let failed = match died {
        Some(ended) => Some(format!("one of them ended by itself ({ended})")),
        None => (spent == 0.0).then(|| "they got no CPU at all".to_string()),
    };
    let facts = [("processes", f64::from(count)), ("cpu_seconds", spent)].into_iter().collect();
    Ok(Deed { sentence, facts, failed })
}
