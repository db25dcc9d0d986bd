//! A first experiment: written without a question where nobody answers, by flags where they are given, and refused in a
//! sentence where it could not be carried out.

use crate::desk::Desk;

#[test]
fn a_first_experiment_can_be_planned_as_it_is_and_is_not_overwritten() {
    let desk = Desk::without_server();
    let said = desk.assay(&["init"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{said:?}");
    assert!(said.out.ends_with("Next: assay run first.toml --scale smoke\n"), "{}", said.out);
    let text = desk.read("first.toml");
    assert!(text.starts_with("# A first experiment") && text.contains("users    = [1, 4, 16]"), "{text}");
    for scale in [&[][..], &["--scale", "smoke"]] {
        let plan = desk.assay(&[&["plan", "first.toml"], scale].concat());
        assert!(plan.status == 0 && plan.out.contains("oltp.mixed"), "{plan:?}");
    }
    let again = desk.assay(&["init"]);
    assert_eq!((again.status, again.out.as_str()), (2, ""));
    assert!(again.err.contains("first.toml is there already"), "{}", again.err);
    assert_eq!(desk.read("first.toml"), text);
}

#[test]
fn flags_say_what_nobody_is_asked() {
    let desk = Desk::without_server();
    let dsn = "mysql://root@localhost/test?socket=/tmp/nobody.sock";
    let flags = ["--question", "Does it scale?", "--workload", "tpcc.faithful", "--users", "2, 8", "--on", dsn];
    let said = desk.assay(&[&["init", "own.toml"], &flags[..]].concat());
    assert_eq!(said.status, 0, "{said:?}");
    let text = desk.read("own.toml");
    for part in ["question = \"Does it scale?\"", "workload = [\"tpcc.faithful\"]", "users    = [2, 8]", dsn] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(desk.assay(&["plan", "own.toml"]).status, 0);
}

#[test]
fn what_could_not_be_carried_out_is_not_written() {
    let desk = Desk::without_server();
    for (flags, told) in [
        (["--workload", "oltp.mixd"], "oltp.mixed"),
        (["--workload", "noop"], "noop measures assay itself"),
        (["--users", "many"], "write numbers with commas"),
        (["--users", "0"], "users"),
        (["--on", "no-such-build"], "no build `no-such-build`"),
    ] {
        let said = desk.assay(&[&["init", "wrong.toml"], &flags[..]].concat());
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{flags:?}: {said:?}");
        assert!(said.err.contains(told), "{flags:?}: {}", said.err);
        assert!(!desk.path("wrong.toml").exists(), "{flags:?}");
    }
}
