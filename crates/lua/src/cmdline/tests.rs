//! Command lines as people type them, and what sysbench says of the wrong ones.

use super::*;
use crate::option::{Kind, Value};

fn words(line: &str) -> Result<Words, Complaint> {
    split(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>())
}

fn invoked(line: &str) -> Result<Invoked, Complaint> {
    let words = words(line)?;
    invoke(words.compat, words.given)
}

fn declared() -> Vec<Declared> {
    let option = |name: &str, kind, default: &str| Declared {
        name: name.into(),
        description: format!("the {name}"),
        kind,
        default: Some(default.into()),
    };
    vec![
        option("table_size", Kind::Double, "10000"),
        option("rows", Kind::Int, "5"),
        option("skip_trx", Kind::Bool, "off"),
        option("threads", Kind::Double, "7"),
    ]
}

fn option(line: &str, name: &str) -> Value {
    let compat = words(line).unwrap().compat;
    with_script(compat, invoked(line).unwrap(), Some(&declared())).unwrap().0.options[name].clone()
}

#[test]
fn options_may_stand_anywhere_and_only_two_words_have_a_place() {
    let read = words("--threads=4 oltp.lua --time=2 run --table-size=9").unwrap();
    assert_eq!((read.script.as_deref(), read.command.as_deref(), read.given.len()), (Some("oltp.lua"), Some("run"), 3));
    let early = |text: &str| Err(Complaint::Early(text.to_string()));
    assert_eq!(words("e.lua --threads 2 run").map(|_| ()), early("Unrecognized command line argument: run"));
    assert_eq!(words("-x e.lua run").map(|_| ()), early("Unrecognized command line argument: run"));
    let ours = words("e.lua run --compat 1.1").unwrap();
    assert_eq!((ours.compat, ours.command.as_deref()), (Compat::V11, Some("run")));
    assert_eq!(ours.theirs, ["e.lua", "run"]);
}

#[test]
fn what_sysbench_refuses_is_refused_in_its_words() {
    let said = |line: &str| invoked(line).unwrap_err();
    assert_eq!(said("--threads=x"), Complaint::Early("Invalid value for the 'threads' option: 'x'".into()));
    assert_eq!(said("--threads=1.5"), Complaint::Early("Invalid value for the 'threads' option: '1.5'".into()));
    assert_eq!(said("--threads="), Complaint::Logged("FATAL: Invalid value for --threads: 0.\n".into()));
    assert_eq!(said("--percentile=101"), Complaint::Logged("FATAL: Invalid value for --percentile: 101".into()));
    assert_eq!(said("--rand-type=foo"), Complaint::Logged("FATAL: Invalid random numbers distribution: foo.".into()));
    assert_eq!(said("--verbosity=9"), Complaint::Logged("Invalid value for verbosity: 9".into()));
    let checkpoints = "FATAL: Invalid value for --report-checkpoints: 'a'";
    assert_eq!(said("--report-checkpoints=1,a"), Complaint::Logged(checkpoints.into()));
    assert_eq!(said("--debug=maybe"), Complaint::Late("invalid option: --debug=maybe".into()));
    assert_eq!(said("--rate=-1"), Complaint::Logged("FATAL: Invalid value for --rate: -1.".into()));
}

#[test]
fn the_options_of_a_script_are_read_as_it_declares_them() {
    assert_eq!(option("--table-size=500", "table_size"), Value::Number(500.0));
    assert_eq!(option("--table_size=500", "table_size"), Value::Number(500.0));
    assert_eq!(option("--skip-trx", "skip_trx"), Value::Bool(true));
    assert_eq!(option("", "skip_trx"), Value::Bool(false));
    let unknown = with_script(Compat::V10, invoked("--x=3").unwrap(), Some(&declared())).unwrap_err();
    assert_eq!(unknown, Complaint::Late("invalid option: --x=3".into()));
    let strict = with_script(Compat::V10, invoked("--rows=10K").unwrap(), Some(&declared())).unwrap_err();
    assert_eq!(strict, Complaint::Late("Invalid value for the 'rows' option: '10K'".into()));
}

#[test]
fn a_number_with_a_tail_is_told() {
    let (read, _) = with_script(Compat::V10, invoked("--table-size=10K").unwrap(), Some(&declared())).unwrap();
    assert_eq!(read.options["table_size"], Value::Number(10.0));
    assert_eq!(read.warnings, ["WARNING: --table-size=10K is read as 10"]);
}

#[test]
fn the_command_line_wins_over_a_default_of_the_same_name() {
    assert_eq!(option("--threads=3", "threads"), Value::Number(3.0));
}

#[test]
fn a_script_that_declares_nothing_gets_whatever_was_given_in_1_0_alone() {
    let (read, legacy) = with_script(Compat::V10, invoked("--oltp-table-size=9 --x").unwrap(), None).unwrap();
    assert!(legacy);
    assert_eq!(read.options["oltp_table_size"], Value::Text("9".into()));
    assert_eq!(read.options["x"], Value::Text(String::new()));
    let refused = with_script(Compat::V11, invoked("--x=3").unwrap(), None).unwrap_err();
    assert_eq!(refused, Complaint::Late("invalid option: --x=3".into()));
}

#[test]
fn old_names_stand_for_the_new_ones_and_say_so() {
    let read = invoked("--max-requests=5 --num-threads=2").unwrap();
    assert_eq!((read.settings.threads, read.settings.events), (2, 5));
    assert_eq!(read.warnings[0], "WARNING: --num-threads is deprecated, use --threads instead");
    let test = words("--test=e.lua run").unwrap();
    assert_eq!((test.script.as_deref(), test.command.as_deref()), (Some("e.lua"), Some("run")));
    let new = invoke(Compat::V11, words("--num-threads=2").unwrap().given).unwrap();
    assert_eq!((new.settings.threads, new.unknown.len()), (1, 1));
}

#[test]
fn a_file_of_options_is_read_with_its_comments_and_quotes() {
    let text = "# a comment\nthreads=3\n events = 4 # c\nrand-type=\"uniform\"\n\n--skip_trx=off\n";
    let given = read_config(text, "f").unwrap();
    let read = invoke(Compat::V10, given).unwrap();
    assert_eq!((read.settings.threads, read.settings.events), (3, 4));
    assert_eq!(read.unknown, [Given::new("skip_trx", Some("off"), "--skip_trx=off")]);
    let wrong = read_config("a b=1", "f").unwrap_err();
    assert_eq!(wrong, Complaint::Early("f:1: 'a b=1' is not name=value".into()));
}

#[test]
fn a_forced_end_is_in_seconds_or_a_share_of_the_time() {
    let after = |line: &str| invoked(line).unwrap().settings.forced_shutdown.map(|f| f.after(10));
    assert_eq!(after(""), None);
    assert_eq!((after("--forced-shutdown=3"), after("--forced-shutdown=10%")), (Some(13), Some(11)));
    assert_eq!(after("--forced-shutdown"), Some(10));
}

#[test]
fn help_lists_what_the_version_has() {
    insta::assert_snapshot!("help_1_0", help(Compat::V10));
    insta::assert_snapshot!("help_1_1", help(Compat::V11));
}
