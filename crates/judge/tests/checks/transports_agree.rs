//! The check `transports_agree`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::answer::TlsAnswer;
use model::record::run::RunRecord;
use model::verdict::Status::{Fail, NotApplicable, Pass, Warn};

#[test]
fn cells_across_transports_are_compared_only_when_that_is_the_axis() {
    let tls = |cipher: &str| TlsAnswer { version: "TLSv1.3".into(), cipher: cipher.into(), ..TlsAnswer::default() };
    let encrypt = |r: &mut RunRecord, cipher: &str| {
        r.session.transport = "tcp tls".into();
        r.session.tls = Some(tls(cipher));
    };
    assert_eq!(status(&spoilt(|_| ()), "transports_agree"), Pass);
    let verdict = verdict(&spoilt(|r| of_cell(r, "c003").for_each(|r| encrypt(r, "A"))), "transports_agree");
    assert_eq!(verdict.verdict, Fail);
    assert!(verdict.sentence.contains("were reached by tcp tls and by unix plain"), "{}", verdict.sentence);
    let one_run = spoilt(|r| of_cell(r, "c003").take(1).for_each(|r| encrypt(r, "A")));
    assert_eq!(status(&one_run, "transports_agree"), Fail, "one repetition is enough");
    let ciphers = spoilt(|r| {
        let ids: Vec<_> = r.plan.cells.iter().map(|c| c.id.0.clone()).collect();
        ids.iter().for_each(|id| of_cell(r, id).for_each(|r| encrypt(r, if id == "c003" { "A" } else { "B" })));
    });
    assert_eq!(status(&ciphers, "transports_agree"), Warn);
    let declared = experiment(&[("transport", &["unix".into(), "tls".into()])]);
    assert_eq!(status(&declared, "transports_agree"), NotApplicable, "nothing else is compared");
    assert_eq!(status(&experiment(&[]), "transports_agree"), NotApplicable);
}
