//! The check `machine_was_quiet`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::Record;
use model::record::around::Neighbour;
use model::record::event::{Event, EventKind};
use model::record::ranks::RankRecord;
use model::units::{Bytes, Nanos};
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};

#[test]
fn cpu_time_of_others_is_noticed_as_far_as_the_clock_resolves_it() {
    let idle = |seconds: f64| all_runs(move |r| counter(r, "host.cpu.idle", seconds * 1e9));
    assert_eq!(status(&idle(1.74), "machine_was_quiet"), Pass);
    assert_eq!(status(&idle(1.60), "machine_was_quiet"), Warn);
    assert_eq!(status(&idle(1.30), "machine_was_quiet"), Fail);
    let named = all_runs(|r| {
        counter(r, "host.cpu.idle", 1.3e9);
        let make = Neighbour { name: "make".into(), cpu: Nanos::from_millis(400), moved: Bytes(0) };
        r.around.as_mut().unwrap().neighbours = vec![make];
    });
    let sentence = verdict(&named, "machine_was_quiet").sentence;
    assert!(sentence.contains("most of it by make (1.2 s)"), "{sentence}");
    let short = all_runs(|r| {
        for ends in r.phases[0].counters.values_mut() {
            ends.end = ends.begin + ends.delta() / 100.0;
            ends.end_at = Nanos(ends.begin_at.0 + 10_000_000);
        }
    });
    let verdict = verdict(&short, "machine_was_quiet");
    assert_eq!(verdict.verdict, NotEvaluable);
    assert!(verdict.sentence.contains("ticks of the clock"), "{}", verdict.sentence);
}

#[test]
fn one_run_that_had_company_is_told_though_the_others_had_none() {
    let others = |seconds: f64| {
        spoilt(move |r| {
            let run = of_cell(r, "c002").next().unwrap();
            counter(run, "host.cpu.idle", (1.74 - seconds) * 1e9);
            let bash = Neighbour { name: "bash".into(), cpu: Nanos::from_millis(400), moved: Bytes(0) };
            run.around.as_mut().unwrap().neighbours = vec![bash];
        })
    };
    assert_eq!(status(&others(0.1), "machine_was_quiet"), Pass);
    let told = verdict(&others(0.22), "machine_was_quiet");
    assert_eq!(told.verdict, Warn, "{}", told.sentence);
    assert!(
        told.sentence.contains("(run c002-1), and 2.08 %") && told.sentence.contains("by bash (400 ms)"),
        "{}",
        told.sentence
    );
}

#[test]
fn a_whole_cpu_is_somebodys_however_many_there_are() {
    // Of 64 CPUs, two busy with us.
    let beside = |others: f64| {
        all_runs(move |r| {
            counter(r, "host.cpu.total", 64e9);
            counter(r, "host.cpu.idle", 64e9 - 2.25e9 - others * 1e9);
        })
    };
    assert_eq!(status(&beside(0.1), "machine_was_quiet"), Pass);
    assert_eq!(status(&beside(0.7), "machine_was_quiet"), Warn, "1.1 % of the CPU time");
    assert_eq!(status(&beside(1.2), "machine_was_quiet"), Fail, "1.9 % of the CPU time");
}

#[test]
fn what_the_kernel_does_is_nobodys_process() {
    let beside = |name: &'static str| {
        all_runs(move |r| {
            counter(r, "host.cpu.idle", 1.3e9);
            // Twice as long as what is measured, so that half of it falls into that.
            let worker = Neighbour { name: name.into(), cpu: Nanos::from_millis(860), moved: Bytes(0) };
            r.around.as_mut().unwrap().neighbours = vec![worker];
        })
    };
    assert_eq!(status(&beside("make"), "machine_was_quiet"), Fail);
    assert_eq!(status(&beside("kworker"), "machine_was_quiet"), Pass, "pages are written back by it");
    let interrupts = all_runs(|r| {
        counter(r, "host.cpu.idle", 1.3e9);
        counter(r, "host.cpu.irq", 0.43e9);
    });
    assert_eq!(status(&interrupts, "machine_was_quiet"), Pass);
}

/// The first run of the first cell beside a busy neighbour; and the second was slow, which is its own matter.
fn one_spoilt(again: usize) -> Record {
    spoilt(|record| {
        record.runs[0].ended_unix_ms = 2_000;
        counter(&mut record.runs[0], "host.cpu.idle", 0.2e9);
        let slow = record.runs.iter().position(|run| run.id.0 == "c001-2").unwrap();
        operation(&mut record.runs[slow]).done /= 2;
        let event = Event {
            unix_ms: 1,
            kind: EventKind::RunRepeated,
            run: Some(record.runs[0].id.clone()),
            text: "c001-1 is carried out again".into(),
        };
        record.events.extend(std::iter::repeat_n(event, again));
    })
}

#[test]
fn what_a_neighbour_spoilt_may_be_repeated_a_few_times_and_nothing_is_chosen_by_its_result() {
    let found = |again| judge::spoilt(&one_spoilt(again), &NoDetails);
    let [once] = &found(0)[..] else { panic!("{:?}", found(0)) };
    assert_eq!((once.run.0.as_str(), once.check, once.may_be_repeated()), ("c001-1", "machine_was_quiet", true));
    assert!(once.why().contains("failed: Somebody else used the CPUs"), "{}", once.why());
    assert!(!found(judge::MOST_AGAIN)[0].may_be_repeated());
    assert!(judge::spoilt(&record(), &NoDetails).is_empty());
    let told =
        crate::bench::judge(&one_spoilt(2)).claims.iter().any(|c| c.sentence.contains("carried out again 2 times"));
    assert!(told, "a reader is told");
}

#[test]
fn ranks_of_the_load_on_this_machine_are_no_others() {
    let beside = |is_beside_leader: bool| {
        all_runs(move |r| {
            counter(r, "host.cpu.idle", 1.3e9);
            let (worker_cpu, lived) = (Nanos::from_millis(430), Nanos::from_millis(1000));
            let other = RankRecord { rank: 1, is_beside_leader, worker_cpu, lived, ..RankRecord::default() };
            r.ranks = vec![RankRecord { is_beside_leader: true, worker_cpu, lived, ..RankRecord::default() }, other];
        })
    };
    assert_eq!(status(&beside(true), "machine_was_quiet"), Pass);
    assert_eq!(status(&beside(false), "machine_was_quiet"), Fail, "it works elsewhere, and somebody else here");
}
