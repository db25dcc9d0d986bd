//! assay on a terminal: a pseudo-terminal of a given width, and somebody who types when asked. What a reader sees there
//! is what a pipe gets, with colours; and no line is wider than the window.

use crate::desk::Desk;
use rustix::pty::{OpenptFlags, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

/// What stands before the place where one types.
const PROMPT: &[u8] = b"] ";

/// What a command shows in a window so wide, and its exit status; each line is typed when the command asks for one.
fn shown(mut command: Command, columns: u16, typed: &[&str]) -> (String, i32) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a pseudo-terminal");
    unlockpt(&ours).expect("it is ours");
    let name = ptsname(&ours, Vec::new()).expect("it has a name");
    let name = Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
    let theirs = File::options().read(true).write(true).open(name).expect("its other end");
    tcsetwinsize(&theirs, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).expect("a width");
    let end = || theirs.try_clone().expect("another hold of it");
    command.env_remove("COLUMNS").stdin(end()).stdout(end()).stderr(end());
    let mut child = command.spawn().expect("assay starts");
    // Its last holder is the child then, with whose end the reading ends.
    drop((command, theirs));
    let (mut ours, mut typed) = (File::from(ours), typed.iter());
    let (mut seen, mut piece) = (Vec::new(), [0; 4096]);
    while let Ok(read) = ours.read(&mut piece) {
        seen.extend_from_slice(&piece[..read]);
        if seen.ends_with(PROMPT) {
            let line = typed.next().expect("it asks no more than it is answered");
            ours.write_all(format!("{line}\n").as_bytes()).expect("somebody listens");
        }
    }
    assert_eq!(typed.next(), None, "it asked for less");
    let status = child.wait().expect("it ends").code().expect("by itself");
    (String::from_utf8(seen).expect("UTF-8").replace("\r\n", "\n"), status)
}

fn on_terminal(desk: &Desk, arguments: &[&str]) -> Command {
    let mut command = desk.command(arguments);
    command.env("TERM", "xterm-256color").env_remove("NO_COLOR");
    command
}

/// Without what turns colours on and off.
fn plain(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |text, part| text + part.split_once('m').expect("it is a colour").1)
}

#[test]
fn three_questions_make_an_experiment_and_a_mistake_is_asked_again() {
    let desk = Desk::without_server();
    let typed = ["oltp.point_selcts", "oltp.point_selects", "two", "1, 2", ""];
    let (said, status) = shown(on_terminal(&desk, &["init"]), 80, &typed);
    assert_eq!(status, 0, "{said}");
    for (part, times) in [
        ("What do the users do?", 2),
        ("there is no workload oltp.point_selcts; did you mean oltp.point_selects?\n", 1),
        ("How many users, level by level? [1,4,16] ", 2),
        ("\nwrite numbers with commas, as 1,4,16\n", 1),
        ("What do you want to know? [How does oltp.point_selects grow with the number of users?] ", 1),
        ("\nNext: assay run first.toml --scale smoke\n", 1),
    ] {
        assert_eq!(said.matches(part).count(), times, "{part}: {said}");
    }
    let text = desk.read("first.toml");
    for part in ["workload = [\"oltp.point_selects\"]", "users    = [1, 2]", "How does oltp.point_selects grow"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn who_does_not_know_what_there_is_is_told() {
    let desk = Desk::without_server();
    let (said, status) = shown(on_terminal(&desk, &["init"]), 80, &["?", "", "", "Is it fast?"]);
    assert_eq!(status, 0, "{said}");
    for workload in workload::Workloads::built_in().words().iter().filter(|words| words.name != "noop") {
        assert!(said.contains(&*workload.name) && said.contains(workload.why), "{}", workload.name);
    }
    assert!(desk.read("first.toml").contains("question = \"Is it fast?\""));
}

#[test]
fn a_screen_keeps_to_its_window_and_a_pipe_gets_the_same_without_colours() {
    let desk = Desk::without_server();
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specimens/refused-orders.tar.xz");
    let mut unpack = Command::new("tar");
    unpack.arg("--extract").arg("--xz").arg("--file").arg(archive).arg("--directory").arg(desk.path(""));
    assert!(unpack.status().expect("tar starts").success(), "it is an archive (is xz installed?)");
    let judge = ["judge", "refused-orders"];
    for columns in [40, 80, 120] {
        let (screen, status) = shown(on_terminal(&desk, &judge), columns, &[]);
        assert!(status == 1 && screen.contains("\x1b["), "it has failed checks, and colours: {screen}");
        let told = plain(&screen);
        let widest = told.lines().map(|line| line.chars().count()).max().expect("lines");
        assert!(widest <= usize::from(columns), "{widest} of {columns} columns: {told}");
        assert!(told.lines().count() <= report::terminal::LINES, "{told}");
        let mut piped = desk.command(&judge);
        piped.env("COLUMNS", columns.to_string()).env("TERM", "xterm-256color");
        let piped = crate::desk::Said::of(piped.output().expect("assay starts"));
        assert_eq!((piped.out.as_str(), piped.err.as_str()), (told.as_str(), ""));
    }
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let mut command = on_terminal(&desk, &judge);
        command.env(name, value);
        let (screen, _) = shown(command, 80, &[]);
        assert!(!screen.contains('\x1b'), "{name}={value}: {screen}");
    }
    let unasked = desk.assay(&judge);
    assert!(unasked.out.lines().all(|line| line.chars().count() <= 80), "a pipe has 80 columns: {}", unasked.out);
}
