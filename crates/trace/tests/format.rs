//! What is written is read: whatever it holds, however the file is cut, and wherever it is damaged.

use model::Nanos;
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;
use trace::{
    Answer, Ask, Bound, ByStart, Execute, Item, Lost, Place, Reader, RowSums, SessionId, Statement, Transaction,
    Unreadable, Value, Writer,
};
use wire::mysql::row::{DateTime, Time};

fn value() -> impl Strategy<Value = Value> {
    let date = (any::<u16>(), any::<[u8; 5]>(), any::<u32>()).prop_map(|(year, parts, micros)| {
        let [month, day, hour, minute, second] = parts;
        Value::DateTime(DateTime { year, month, day, hour, minute, second, micros })
    });
    let time =
        (any::<bool>(), any::<u32>(), any::<[u8; 3]>(), any::<u32>()).prop_map(|(negative, days, parts, micros)| {
            let [hours, minutes, seconds] = parts;
            Value::Time(Time { negative, days, hours, minutes, seconds, micros })
        });
    prop_oneof![
        Just(Value::Null),
        Just(Value::Default),
        Just(Value::Ignore),
        any::<i64>().prop_map(Value::Int),
        any::<u64>().prop_map(Value::UInt),
        (-1e30_f32..1e30).prop_map(Value::Float),
        (-1e300_f64..1e300).prop_map(Value::Double),
        vec(any::<u8>(), 0..300).prop_map(Value::Bytes),
        date,
        time,
    ]
}

fn ask() -> impl Strategy<Value = Ask> {
    let text = || vec(any::<u8>(), 0..200).prop_map(Arc::<[u8]>::from);
    let bound =
        (any::<u8>(), any::<bool>(), value()).prop_map(|(code, unsigned, value)| Bound { code, unsigned, value });
    let execute = (any::<u32>(), proptest::option::of(text()), vec(vec(bound, 0..4), 0..4), any::<[bool; 2]>())
        .prop_map(|(statement, text, rows, [is_bulk, cursor])| {
            Ask::Execute(Execute { statement, text, rows, is_bulk, cursor })
        });
    prop_oneof![
        any::<u16>().prop_map(|collation| Ask::Connect { collation }),
        text().prop_map(Ask::Query),
        (any::<u32>(), text()).prop_map(|(statement, text)| Ask::Prepare { statement, text }),
        execute,
        any::<[u32; 2]>().prop_map(|[statement, rows]| Ask::Fetch { statement, rows }),
        any::<u32>().prop_map(|statement| Ask::Reset { statement }),
        any::<u32>().prop_map(|statement| Ask::Close { statement }),
        any::<u16>().prop_map(|collation| Ask::ChangeUser { collation }),
        "[a-zä]{0,8}".prop_map(|name| Ask::InitDb(Arc::from(name))),
        Just(Ask::ResetConnection),
        any::<u16>().prop_map(Ask::SetOption),
        Just(Ask::Ping),
        Just(Ask::Quit),
        "[a-z ]{0,12}".prop_map(|name| Ask::Other(Arc::from(name))),
    ]
}

fn answer() -> impl Strategy<Value = Answer> {
    let number = || proptest::option::of(any::<u64>());
    let sums = proptest::option::of(any::<[u64; 2]>());
    let small = (proptest::option::of(any::<u16>()), proptest::option::of(any::<[u32; 2]>()));
    (small, number(), number(), number(), number(), sums).prop_map(
        |((error, counts), rows, affected, examined, locked, sums)| Answer {
            error,
            rows,
            affected,
            examined,
            locked: locked.map(Nanos),
            result_sets: counts.map(|[sets, _]| sets),
            warnings: counts.map(|[_, warnings]| warnings),
            sums: sums.map(|[ordered, unordered]| RowSums { ordered, unordered }),
        },
    )
}

fn statement() -> impl Strategy<Value = Statement> {
    let place = prop_oneof![
        Just(Place::Alone),
        Just(Place::Begins),
        Just(Place::Inside),
        Just(Place::Commits),
        Just(Place::RollsBack)
    ];
    let transaction = proptest::option::of((any::<u64>(), place));
    let names = ["[a-z]{0,3}", "[0-9.]{0,4}", "[a-zü]{0,3}"];
    let when = (any::<u64>(), proptest::option::of(0_u64..1 << 60));
    (any::<[u64; 2]>(), when, transaction, names, ask(), answer()).prop_map(
        |([session, order], (start, took), transaction, names, ask, answer)| {
            let [user, host, database] = names.map(Arc::from);
            let transaction = transaction.map(|(number, place)| Transaction { number, place });
            let (start, took) = (Nanos(start), took.map(Nanos));
            Statement {
                session: SessionId(session),
                order,
                start,
                took,
                transaction,
                user,
                host,
                database,
                ask,
                answer,
            }
        },
    )
}

fn item() -> impl Strategy<Value = Item> {
    let lost = (any::<u64>(), proptest::option::of(any::<u32>()), "[a-z ]{0,20}").prop_map(|(at, known, why)| {
        let (session, statements) = (known.map(|n| SessionId(n.into())), known.map(u64::from));
        Item::Lost(Lost { at: Nanos(at), session, statements, why: Arc::from(why) })
    });
    prop_oneof![8 => statement().prop_map(Item::Statement), 1 => lost]
}

/// The file that holds these, a block for every few.
fn written(items: &[Item], per_block: usize) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    for (number, item) in items.iter().enumerate() {
        match item.clone() {
            Item::Statement(statement) => writer.statement(statement).unwrap(),
            Item::Lost(lost) => writer.lost(lost).unwrap(),
        }
        if number % per_block == per_block - 1 {
            writer.flush().unwrap();
        }
    }
    writer.finish().unwrap().0
}

fn read(file: &[u8]) -> Vec<Item> {
    Reader::new(file).unwrap().map(|item| item.unwrap()).collect()
}

/// What tells of damage here, and not what was written as lost.
fn is_damage(item: &Item) -> bool {
    matches!(item, Item::Lost(lost) if lost.why.contains("of the trace") || lost.why.contains("the trace ends"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read(items in vec(item(), 0..40), per_block in 1_usize..10) {
        prop_assert_eq!(read(&written(&items, per_block)), items);
    }

    #[test]
    fn a_file_that_was_cut_gives_its_whole_blocks_and_says_that_it_was(
        items in vec(item(), 1..20), per_block in 1_usize..5, cut in 0.0..1.0_f64,
    ) {
        let file = written(&items, per_block);
        let at = 16 + ((file.len() - 16) as f64 * cut) as usize;
        let found = read(&file[..at]);
        let whole: Vec<&Item> = found.iter().filter(|item| !is_damage(item)).collect();
        prop_assert!(whole.iter().zip(&items).all(|(found, item)| *found == item));
        prop_assert!(whole.len().is_multiple_of(per_block) || whole.len() == items.len());
        prop_assert!(found.len() - whole.len() <= 1);
    }

    #[test]
    fn damage_costs_its_block_and_no_other(
        items in vec(item(), 4..20), place in 0.0..1.0_f64, flipped in 1_u8..=255,
    ) {
        let mut file = written(&items, 2);
        let at = 16 + ((file.len() - 17) as f64 * place) as usize;
        file[at] ^= flipped;
        let found = read(&file);
        let whole: Vec<&Item> = found.iter().filter(|item| !is_damage(item)).collect();
        prop_assert!(whole.len() + 2 >= items.len(), "{} of {}", whole.len(), items.len());
        prop_assert!(whole.iter().all(|item| items.contains(item)));
        prop_assert!(found.iter().any(is_damage));
    }

    #[test]
    fn no_bytes_make_a_reader_fail(mut file in vec(any::<u8>(), 0..400)) {
        let mut head = written(&[], 1);
        head.append(&mut file);
        read(&head);
    }
}

#[test]
fn what_is_no_trace_is_refused_by_name() {
    assert!(matches!(Reader::new(&b"assay"[..]), Err(Unreadable::NotATrace)));
    assert!(matches!(Reader::new(&b"# Time: 240101 12:00:00\n"[..]), Err(Unreadable::NotATrace)));
    let mut file = written(&[], 1);
    file[12] = 9;
    let Err(error) = Reader::new(&file[..]) else { panic!("version 9 is read") };
    assert!(error.to_string().contains("version 9, and this program reads version 1"), "{error}");
}

/// A statement of a session that began and ended then.
fn plain(session: u64, start: u64, end: u64) -> Statement {
    let name: Arc<str> = Arc::from("");
    Statement {
        session: SessionId(session),
        order: 0,
        start: Nanos(start),
        took: Some(Nanos(end - start)),
        transaction: None,
        user: name.clone(),
        host: name.clone(),
        database: name,
        ask: Ask::Query(Arc::from(*b"SELECT 1")),
        answer: Answer::default(),
    }
}

#[test]
fn statements_come_in_the_order_of_their_starts_within_the_window() {
    let ends = [plain(1, 5, 6), plain(2, 1, 7), plain(1, 7, 8), plain(3, 2, 9)];
    let items = ends.iter().cloned().map(|s| Ok::<_, ()>(Item::Statement(s)));
    let starts: Vec<u64> = ByStart::new(items.clone(), 4)
        .map(|item| if let Ok(Item::Statement(s)) = item { s.start.0 } else { panic!("nothing is lost") })
        .collect();
    assert_eq!(starts, [1, 2, 5, 7]);
    assert_eq!(ByStart::new(items, 1).count(), 4, "a small window loses nothing");
}
