//! What stands before the first number: the version, and the options by which the run goes.

use crate::cmdline::Settings;

/// The first line of everything, with the empty one behind it.
pub fn version_line(version: &str, luajit: &str) -> String {
    format!("sysbench {version} (using bundled {luajit})\n\n")
}

/// `of_script`: what the script's own benchmark says of itself.
pub fn banner(settings: &Settings, of_script: Option<&str>) -> String {
    let mut text = format!("Running the test with following options:\nNumber of threads: {}\n", settings.threads);
    let mut add = |line: String| text += &line;
    if settings.warmup > 0 {
        add(format!("Warmup time: {}s\n", settings.warmup));
    }
    if settings.rate > 0 {
        add(format!("Target transaction rate: {}/sec\n", settings.rate));
    }
    if settings.report_interval > 0 {
        add(format!("Report intermediate results every {} second(s)\n", settings.report_interval));
    }
    if !settings.checkpoints.is_empty() {
        let moments: Vec<String> = settings.checkpoints.iter().map(u32::to_string).collect();
        add(format!("Report checkpoint(s) at {} seconds\n", moments.join(", ")));
    }
    if settings.debug {
        add("Debug mode enabled.\n\n".into());
    }
    if settings.validate {
        add("Validation checks: on.\n\n".into());
    }
    add(match settings.seed {
        0 => "Initializing random number generator from current time\n\n".into(),
        seed => format!("Initializing random number generator from seed ({}).\n\n", seed.cast_signed()),
    });
    add(match settings.forced_shutdown {
        None => "\n".into(),
        Some(forced) => format!("Forcing shutdown in {} seconds\n\n", forced.after(settings.time)),
    });
    of_script.into_iter().for_each(|said| add(format!("{said}\n\n")));
    add("Initializing worker threads...\n\n".into());
    text
}
