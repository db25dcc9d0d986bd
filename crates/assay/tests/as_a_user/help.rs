//! What assay says of itself: golden, because a reader and a script both live by it.

use crate::desk::Desk;
use insta::assert_snapshot;

#[test]
fn help_tells_the_way_in() {
    let desk = Desk::without_server();
    let help = |verb: &[&str]| {
        let said = desk.assay(&[verb, &["--help"]].concat());
        assert_eq!((said.status, said.err.as_str()), (0, ""));
        said.out
    };
    let all = help(&[]);
    let verbs = all.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    for verb in verbs.filter_map(|l| l.split_whitespace().next()).filter(|v| *v != "help") {
        assert_snapshot!(format!("help_{verb}"), help(&[verb]));
    }
    assert_snapshot!("help", all);
}

#[test]
fn every_check_and_finding_has_a_page_under_its_name() {
    let desk = Desk::without_server();
    let list = desk.assay(&["explain"]);
    assert_eq!(list.status, 0);
    for check in judge::checks::ALL {
        assert!(list.out.lines().any(|l| l.contains(check.id)), "{} is not listed", check.id);
        let page = desk.assay(&["explain", check.id]);
        assert_eq!(page.status, 0);
        assert!(page.out.contains("Claim: ") && page.out.lines().count() > 5, "{}", page.out);
        assert_eq!(judge::explain(check.id).map(|p| p + "\n"), Some(page.out));
    }
    for cause in judge::findings::ALL {
        assert!(list.out.lines().any(|l| l.contains(cause.id)), "{} is not listed", cause.id);
        assert_eq!(judge::explain(cause.id).map(|p| p + "\n"), Some(desk.assay(&["explain", cause.id]).out));
    }
}

#[test]
fn a_code_is_no_name_of_a_check() {
    let said = Desk::without_server().assay(&["explain", "E1"]);
    assert_eq!((said.status, said.out.as_str()), (2, ""));
    assert!(said.err.contains("no check or finding is called E1"), "{}", said.err);
}

#[test]
fn a_misspelt_check_finds_its_neighbour() {
    let said = Desk::without_server().assay(&["explain", "client_headroom"]);
    assert_eq!((said.status, said.out.as_str()), (2, ""));
    assert!(said.err.contains("did you mean client_had_headroom?"), "{}", said.err);
}
