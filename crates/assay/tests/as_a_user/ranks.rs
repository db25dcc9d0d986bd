//! One load by several processes, started by mpirun: the record is that of one load, each rank's part stands in it, and
//! a rank that is killed or stopped fails its run by its name and leaves nothing behind. Ranks are the same program with
//! its feature `mpi`; where nobody built that, nothing of this can be tried.

use crate::desk::{Desk, RUN, Said, until};
use crate::interruptions::{await_a_second, await_event, signal};
use crate::skipped;
use rustix::process::Signal;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

fn program() -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_BIN_EXE_assay")).with_file_name("assay-mpi");
    let is_there = program.is_file() && Command::new("mpirun").arg("--version").output().is_ok();
    if !is_there {
        skipped::test("mpirun, and assay with its feature `mpi`", "make mpi");
    }
    is_there.then_some(program)
}

/// Three ranks on this machine, however few CPUs it has; none is bound to one.
fn ranks(desk: &Desk, program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    let launch = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "3"];
    command.args(launch).arg(program).args(arguments).stdin(Stdio::null());
    command.current_dir(desk.path("")).env("ASSAY_HOME", desk.home()).env("XDG_RUNTIME_DIR", desk.path(""));
    command
}

/// What a network of its own takes, for a program that makes several.
fn networks() -> bool {
    let programs = ["ip", "python3", "mariadb-install-db"];
    let is_there = |program: &str| Command::new(program).arg("--help").output().is_ok();
    let may = rustix::process::geteuid().is_root() && Path::new("/dev/net/tun").exists();
    let can = may && programs.iter().all(|program| is_there(program));
    if !can {
        skipped::test("root, /dev/net/tun, ip, python3 and mariadb-install-db", "scripts/install test, as root");
    }
    can
}

/// Network namespaces that this process of the script made.
fn namespaces(script: u32) -> Vec<String> {
    let listed = Command::new("ip").args(["netns", "list"]).output().expect("ip runs").stdout;
    let own = format!("assay-{script}-");
    String::from_utf8_lossy(&listed).lines().filter(|name| name.starts_with(&own)).map(String::from).collect()
}

#[test]
fn a_rank_that_stands_farther_from_the_server_is_named_and_no_network_is_left() {
    let Some(program) = program().filter(|_| networks()) else { return };
    // Its turn among those that have a server.
    let desk = Desk::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/rank-namespaces");
    let mut command = Command::new(script);
    command.args(["--delay", "2", "--within", "120"]).env("ASSAY", program);
    command.env("ASSAY_HOME", desk.home()).env("TMPDIR", desk.path("")).stdin(Stdio::null());
    let mut running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("python3 starts");
    let script = running.id();
    let is_under_way = |running: &mut Child| running.try_wait().unwrap().is_some() || namespaces(script).len() == 3;
    until("its networks", || is_under_way(&mut running).then_some(()));
    let said = Said::of(running.wait_with_output().unwrap());
    assert_eq!(said.status, 0, "{}\n{}", said.out, said.err);
    assert!(said.out.contains("\nnamed: ") && said.out.contains("rank 2 on "), "{}", said.out);
    assert!(said.out.contains("'interface': {'name': 'assay0'}"), "what carries its way is named: {}", said.out);
    assert_eq!(namespaces(script), [] as [String; 0], "what it made is gone");
}

/// One cell, one run.
const ONE: &[&str] = &["--set", "axes.range_size=[100]", "--set", "repeat.repetitions=1", "--set", "load.users=7"];

#[test]
fn three_ranks_make_one_record_in_which_each_has_its_part() {
    let Some(program) = program() else { return };
    let desk = Desk::new();
    let counted = crate::desk::TINY.replace("warm_up = \"100ms\"\nmeasure = \"300ms\"\n", "");
    desk.write("tiny.toml", &(counted + "\n[[phases]]\nname = \"all\"\ncount = 3_000\n"));
    let said = Said::of(ranks(&desk, &program, &[RUN, ONE].concat()).output().unwrap());
    said.assert_carried_out();
    desk.assert_nothing_is_left();
    assert!(said.err.contains("rank 2 on "), "{}", said.err);
    let run = desk.run("c001-1");
    assert_eq!(run["ending"], "done");
    let ranks = run["ranks"].as_array().unwrap();
    assert_eq!(ranks.iter().map(|rank| rank["users"].as_u64().unwrap()).collect::<Vec<_>>(), [3, 2, 2]);
    let done = |tally: &serde_json::Value| {
        tally["operations"].as_object().unwrap().values().map(|o| o["done"].as_u64().unwrap()).sum::<u64>()
    };
    let phases = run["phases"].as_array().unwrap();
    let all: u64 = phases.iter().map(|phase| done(&phase["groups"]["users"]["tally"])).sum();
    assert_eq!(all, 3_000, "a count is that of all ranks");
    for rank in ranks {
        assert!(rank["traffic"]["time"].as_u64().unwrap() > 0, "each reads its own network: {rank}");
        assert!(rank.get("interface").is_none(), "a Unix socket leaves no machine: {rank}");
    }
    for rank in &ranks[1..] {
        let error = rank["clock"]["within_before"].as_u64().unwrap();
        assert!(
            rank["clock"]["ahead_before_ns"].as_i64().unwrap().unsigned_abs() <= error,
            "one machine has one clock"
        );
    }
    let verdicts = std::fs::read_to_string(desk.path("record/report.json")).unwrap();
    assert!(verdicts.contains("ranks_were_one_load") && verdicts.contains("ranks_agree"));
}

#[test]
fn a_doctor_examines_each_rank_and_its_clock() {
    let Some(program) = program() else { return };
    let desk = Desk::without_server();
    let said = Said::of(ranks(&desk, &program, &["doctor"]).output().expect("mpirun starts"));
    for words in ["rank 0 on ", "rank 1 on ", "rank 2 on ", "clock of rank 1: ", "clock of rank 2: ", "known to within"]
    {
        assert!(said.out.contains(words), "{words}: {said:?}");
    }
    // Ranks that are one load cannot do what one process does.
    let said = Said::of(ranks(&desk, &program, &["servers"]).output().expect("mpirun starts"));
    assert_eq!(said.status, 2, "{said:?}");
    assert!(said.err.contains("assay servers is for one process"), "{}", said.err);
}

#[test]
fn a_rank_that_is_killed_stopped_or_told_to_stop_fails_its_run_by_its_name() {
    let Some(program) = program() else { return };
    for wish in [Signal::KILL, Signal::STOP, Signal::TERM] {
        let desk = Desk::new();
        let long = [RUN, ONE, &["--set", "load.measure=\"20s\""]].concat();
        let mut command = ranks(&desk, &program, &long);
        let mut lab = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpirun starts");
        await_a_second(&desk, &mut lab);
        let rank = rank_process(&lab, 2);
        signal(rank, wish);
        let said = Said::of(lab.wait_with_output().unwrap());
        assert_ne!(said.status, 0, "{said:?}");
        assert!(said.err.contains("rank 2 on "), "{}", said.err);
        let reason = desk.run("c001-1")["ending"]["failed"]["reason"].as_str().unwrap().to_string();
        assert!(reason.starts_with("rank 2 on ") && reason.contains(&format!("(process {rank})")), "{reason}");
        desk.assert_nothing_is_left();
        // What is over stays, and tells of the ranks that were left: as many as before go on.
        let again = Said::of(ranks(&desk, &program, &long).output().unwrap());
        assert!(again.err.contains("all 1 runs are in record"), "{again:?}");
    }
}

#[test]
fn a_leader_that_is_stopped_does_not_hold_the_others() {
    let Some(program) = program() else { return };
    let in_a_load: fn(&Desk, &mut Child) = await_a_second;
    let between_loads: fn(&Desk, &mut Child) = |desk, lab| await_event(desk, lab, "instance_starting", 0);
    for await_the_moment in [in_a_load, between_loads] {
        let desk = Desk::new();
        let long = [RUN, ONE, &["--set", "load.measure=\"90s\""]].concat();
        let mut command = ranks(&desk, &program, &long);
        let mut lab = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpirun starts");
        await_the_moment(&desk, &mut lab);
        signal(rank_process(&lab, 0), Signal::STOP);
        // In its own words, or while MPI waits for room.
        let said = Said::of(lab.wait_with_output().unwrap());
        assert_eq!(said.status, 3, "{said:?}");
        let is_told = said.err.contains("rank 0 is gone") || said.err.contains("another rank has not answered");
        assert!(is_told, "{}", said.err);
        until("the death of the server with its lab", || desk.processes().is_empty().then_some(()));
    }
}

#[test]
fn a_rank_that_is_stopped_when_all_is_over_does_not_hold_the_others() {
    let Some(program) = program() else { return };
    let desk = Desk::new();
    let mut command = ranks(&desk, &program, &[RUN, ONE].concat());
    let mut lab = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpirun starts");
    await_event(&desk, &mut lab, "run_started", 0);
    let rank = rank_process(&lab, 2);
    // Before the report is drawn, and so before ranks are told that all is over.
    await_event(&desk, &mut lab, "lab_stopped", 0);
    signal(rank, Signal::STOP);
    let said = Said::of(lab.wait_with_output().unwrap());
    assert_eq!(said.status, 3, "{said:?}");
    assert!(said.err.contains("another rank has not answered for 10 s"), "{}", said.err);
    assert_eq!(desk.run("c001-1")["ending"], "done");
    desk.assert_nothing_is_left();
}

/// The process of a rank, by what its launcher gave it.
fn rank_process(launcher: &Child, rank: u32) -> u32 {
    let wanted = format!("OMPI_COMM_WORLD_RANK={rank}\0");
    let children = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let pid: u32 = entry.file_name().to_string_lossy().parse().ok()?;
        let environment = std::fs::read(entry.path().join("environ")).ok()?;
        let status = std::fs::read_to_string(entry.path().join("status")).ok()?;
        let is_child = status.contains(&format!("PPid:\t{}\n", launcher.id()));
        (is_child && String::from_utf8_lossy(&environment).contains(&wanted)).then_some(pid)
    });
    children.into_iter().next().expect("the rank runs")
}

#[test]
fn ranks_that_were_asked_different_questions_do_not_begin() {
    let Some(program) = program() else { return };
    let desk = Desk::without_server();
    desk.write("other.toml", &crate::desk::TINY.replace("1_000", "2_000"));
    // The second application of mpirun is another rank with another file.
    let program = program.to_str().unwrap();
    let other = [":", "-n", "1", program, "run", "other.toml"];
    let mut command = Command::new("mpirun");
    command.args([
        "--allow-run-as-root",
        "--oversubscribe",
        "--bind-to",
        "none",
        "-n",
        "2",
        program,
        "run",
        "tiny.toml",
    ]);
    command.args(other).current_dir(desk.path("")).env("ASSAY_HOME", desk.home()).env("XDG_RUNTIME_DIR", desk.path(""));
    let said = Said::of(command.stdin(Stdio::null()).output().expect("mpirun starts"));
    assert_eq!(said.status, 2, "{said:?}");
    assert!(
        said.err.contains("rank 2 on ") && said.err.contains("was asked another question than rank 0"),
        "{}",
        said.err
    );
    // A program without MPI under a launcher would be three loads that know nothing of each other.
    let mut alone = desk.command(&["run", "tiny.toml"]);
    let said = Said::of(alone.env("OMPI_COMM_WORLD_SIZE", "3").output().unwrap());
    assert_eq!(said.status, 2, "{said:?}");
    assert!(said.err.contains("built without MPI"), "{}", said.err);
    // What srun leaves where it hands no MPI on.
    let of_srun = |tasks: &str| {
        let mut one = Command::new(program);
        one.args(["run", "nowhere.toml"]).current_dir(desk.path("")).env("ASSAY_HOME", desk.home());
        Said::of(one.env("SLURM_STEP_NUM_TASKS", tasks).stdin(Stdio::null()).output().unwrap())
    };
    let said = of_srun("3");
    assert_eq!(said.status, 2, "{said:?}");
    assert!(said.err.contains("MPI knows of one only"), "{}", said.err);
    assert!(of_srun("1").err.contains("nowhere.toml"));
}

#[test]
fn struck_runs_are_made_again_by_as_many_ranks_as_made_them() {
    let Some(program) = program() else { return };
    let desk = Desk::new();
    Said::of(ranks(&desk, &program, &[RUN, ONE].concat()).output().unwrap()).assert_carried_out();
    let again = ["run", "--again", "struck", "record"];
    // Neither repeats one process what three did, nor does it go on with it.
    for command in [&again[..], &[RUN, ONE].concat()] {
        let alone = desk.assay(command);
        assert_eq!(alone.status, 2, "{alone:?}");
        let told = "record: its load was driven by 3 ranks, and one process would be another load";
        assert!(alone.err.contains(told) && alone.err.contains("with mpirun -n 3"), "{alone:?}");
    }
    // Whether a neighbour spoilt it is the machine's business.
    let said = Said::of(ranks(&desk, &program, &again).output().unwrap());
    said.assert_carried_out();
    let words = if desk.count("run_repeated") > 0 { "is carried out again because" } else { "no check of the machine" };
    assert!(said.err.contains(words), "{said:?}");
    assert_eq!(desk.run("c001-1")["ranks"].as_array().unwrap().len(), 3);
    desk.assert_nothing_is_left();
}

#[test]
fn cpus_that_are_named_for_other_ranks_than_these_begin_nothing() {
    let Some(program) = program() else { return };
    let desk = Desk::new();
    let named = [RUN, &["--set", "server.load_cpus=[\"0\", \"0\"]"]].concat();
    let said = Said::of(ranks(&desk, &program, &named).output().unwrap());
    assert_eq!(said.status, 2, "{said:?}");
    assert!(said.err.contains("server.load_cpus names CPUs for 2 ranks, and 3 ranks drive the load"), "{said:?}");
    assert!(said.err.contains("name one set for each rank, or one for all"), "{said:?}");
    let alone = desk.assay(&named);
    assert_eq!(alone.status, 2, "{alone:?}");
    assert!(alone.err.contains("and one process drives the load"), "{alone:?}");
    desk.assert_nothing_is_left();
}

#[test]
fn ranks_that_are_to_take_turns_begin_nothing() {
    let Some(program) = program() else { return };
    let desk = Desk::new();
    let said =
        Said::of(ranks(&desk, &program, &[RUN, &["--set", "repeat.interleave=true"]].concat()).output().unwrap());
    assert_eq!(said.status, 2, "{said:?}");
    assert!(
        said.err.contains("ranks are one load on one server") && said.err.contains("leave interleave out"),
        "{said:?}"
    );
    desk.assert_nothing_is_left();
}
