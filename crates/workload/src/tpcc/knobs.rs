//! The parameters of the family. Its two members have the same ones with other defaults: `tpcc.faithful` follows the
//! specification, `tpcc.compat` sysbench-tpcc with every defect of it that changes the work, each under a name of its
//! own.

use crate::Parameters;
pub(super) use crate::asked::{count, flag, text};
use crate::oltp::Form;
use model::charset::{self};
use model::words::{Literal, data, work};
use model::{Charset, Parameter, Protocol};

/// The broken column, and a client that takes any lasting error of a New-Order for a rollback, as some kits do.
const SWALLOWED: &str = "broken+swallowed";
/// `w_id` is a SMALLINT, as in sysbench-tpcc.
const MOST_WAREHOUSES: i64 = i16::MAX as i64;

const fn defect(name: &'static str, why: &'static str) -> Parameter {
    work(name, why).flag(false)
}

/// As the specification has it; `compat` turns the defaults that follow below.
pub(super) const FAITHFUL: &[Parameter] = &[
    data("warehouses", "Warehouses of each set of tables.").count(1, [1, MOST_WAREHOUSES]),
    data("table_sets", "Sets of the nine tables; each transaction draws one.").count(1, [1, 100]),
    data("schema", "Types and texts of the rows: the specification's, or those of sysbench-tpcc, which compress well.")
        .choice(&["spec", "sysbench"]),
    data(
        "date_columns",
        "How `ol_delivery_d` says that an order is not delivered: NULL, a date as DEFAULT (with a DEFAULT carrier, \
         too), NULL in a row format that keeps its room, NULL in pages half of which stay free for other versions of \
         their rows (PostgreSQL), NULL of four bytes, or a column that refuses what New-Order inserts, whose errors are \
         shown or taken for rollbacks.",
    )
    .choice(&["null", "default", "default+carrier", "redundant", "null+room", "timestamp", "broken", SWALLOWED])
    .known_to(&[("redundant", Protocol::MySql), ("null+room", Protocol::PostgreSql)]),
    data("sentinel", "The date that stands for \"not delivered\" where that is no NULL.").choice(&[
        "1970-01-01 00:00:00",
        "1000-01-01 00:00:00",
        "1900-01-01 00:00:00",
    ]),
    data("foreign_keys", "The ten constraints: none, declared and never verified, or verified.").choice(&[
        "none",
        "unchecked",
        "checked",
    ]),
    data("secondary_indexes", "The two indexes that the transactions read, or the four for foreign keys as well.")
        .choice(&["needed", "all"]),
    data("history_key", "Whether history has a primary key, as clusters need it.").flag(false),
    data("charset", "Character set and collation of tables and sessions.")
        .choice(charset::LABELS)
        .by(Literal::Text("latin1")),
    work("protocol", "Prepared statements (binary protocol), or statements as text.").choice(&["prepared", "text"]),
    work("isolation", "Isolation of the users' transactions.").choice(&[
        "repeatable-read",
        "read-committed",
        "serializable",
    ]),
    work("mix", "Cards of a shuffled deck of 23 for each user, the same shares drawn independently, or other shares.")
        .choice(&["deck", "independent", "45/43/4/4/4"]),
    work("home", "Whether a user keeps its warehouse and district or draws a warehouse for each transaction.")
        .choice(&["fixed", "random"]),
    work(
        "audit",
        "What is asked of the data around a run: the twelve conditions and all sums; the conditions at four \
         warehouses and the sums of small tables; what small tables answer; nothing.",
    )
    .choice(&["full", "sample", "quick", "off"]),
    defect(
        "never_remote",
        "Lines and payments that should be another warehouse's stay at home (and are marked as remote).",
    ),
    defect("flat_nurand", "The constant of NURand is drawn anew at each call, which flattens its skew."),
    defect("bad_item_early", "The missing item of an order to be rolled back is the last but one."),
    defect("wrong_order_read", "Order-Status reads the lines of order 1 to 10 instead of the customer's last one."),
    defect(
        "stock_not_counted",
        "Stock is refilled by another rule, and its year-to-date, order and remote counts stay.",
    ),
    defect("amounts_taxed", "The amount of a line has taxes and discount, without cents."),
    defect("name_off_by_one", "Of the customers of a name another than the middle one is taken."),
    defect("payments_not_counted", "c_payment_cnt stays, amounts are whole, and the balance is written as a value."),
    defect("items_unsorted", "Lines take their stock in the order drawn, so that two orders can deadlock."),
    defect("retried_anew", "What met a deadlock or a lock wait comes back as another transaction, drawn anew."),
];

const COMPAT_DEFAULTS: &[(&str, Literal)] = &[
    ("schema", Literal::Text("sysbench")),
    ("foreign_keys", Literal::Text("unchecked")),
    ("secondary_indexes", Literal::Text("all")),
    ("protocol", Literal::Text("text")),
    ("mix", Literal::Text("independent")),
    ("home", Literal::Text("random")),
    ("never_remote", Literal::Flag(true)),
    ("flat_nurand", Literal::Flag(true)),
    ("bad_item_early", Literal::Flag(true)),
    ("wrong_order_read", Literal::Flag(true)),
    ("stock_not_counted", Literal::Flag(true)),
    ("amounts_taxed", Literal::Flag(true)),
    ("name_off_by_one", Literal::Flag(true)),
    ("payments_not_counted", Literal::Flag(true)),
    ("items_unsorted", Literal::Flag(true)),
    ("retried_anew", Literal::Flag(true)),
];

/// The same with the defaults of sysbench-tpcc.
pub(super) const COMPAT: &[Parameter] = &compat();

const fn compat() -> [Parameter; FAITHFUL.len()] {
    let mut all = [FAITHFUL[0]; FAITHFUL.len()];
    let (mut at, mut turned) = (0, 0);
    while at < all.len() {
        all[at] = FAITHFUL[at];
        if turned < COMPAT_DEFAULTS.len() && same(FAITHFUL[at].name, COMPAT_DEFAULTS[turned].0) {
            all[at].default = Some(COMPAT_DEFAULTS[turned].1);
            turned += 1;
        }
        at += 1;
    }
    assert!(turned == COMPAT_DEFAULTS.len(), "a default of a parameter that is not there, or in another order");
    all
}

const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dates {
    Null,
    Default,
    DefaultAndCarrier,
    Redundant,
    Room,
    Timestamp,
    Broken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ForeignKeys {
    None,
    Unchecked,
    Checked,
}

/// What the parameters make of the data.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub warehouses: u64,
    pub sets: u64,
    pub sysbench: bool,
    pub dates: Dates,
    pub sentinel: String,
    pub foreign_keys: ForeignKeys,
    pub all_indexes: bool,
    pub history_key: bool,
    pub charset: Charset,
}

impl Shape {
    pub fn of(parameters: &Parameters) -> Self {
        Self {
            warehouses: count(parameters, "warehouses"),
            sets: count(parameters, "table_sets"),
            sysbench: text(parameters, "schema") == "sysbench",
            dates: match text(parameters, "date_columns") {
                "default" => Dates::Default,
                "default+carrier" => Dates::DefaultAndCarrier,
                "redundant" => Dates::Redundant,
                "null+room" => Dates::Room,
                "timestamp" => Dates::Timestamp,
                "broken" | SWALLOWED => Dates::Broken,
                _ => Dates::Null,
            },
            sentinel: text(parameters, "sentinel").to_string(),
            foreign_keys: match text(parameters, "foreign_keys") {
                "unchecked" => ForeignKeys::Unchecked,
                "checked" => ForeignKeys::Checked,
                _ => ForeignKeys::None,
            },
            all_indexes: text(parameters, "secondary_indexes") == "all",
            history_key: flag(parameters, "history_key"),
            charset: charset::by_label(text(parameters, "charset")).expect("charset was checked against its labels"),
        }
    }
    pub fn is_postgresql(&self) -> bool {
        self.charset.protocol == Protocol::PostgreSql
    }

    /// Whether constraints are declared, and users do not keep them.
    pub fn is_unchecked(&self) -> bool {
        self.foreign_keys == ForeignKeys::Unchecked
    }

    /// Whether `ol_delivery_d` of an order that is not delivered is a date.
    pub fn has_sentinel(&self) -> bool {
        match self.dates {
            Dates::Default | Dates::DefaultAndCarrier | Dates::Broken => true,
            Dates::Null | Dates::Redundant | Dates::Room | Dates::Timestamp => false,
        }
    }
}

/// What a reader must know who takes the numbers for TPC-C's: the defects that are on.
pub(super) fn disclosures(workload: &str, parameters: &Parameters) -> Vec<String> {
    let is_on = |knob: &&Parameter| {
        knob.default == Some(Literal::Flag(false)) && knob.name != "history_key" && flag(parameters, knob.name)
    };
    let on: Vec<&str> = FAITHFUL.iter().filter(is_on).map(|knob| knob.name).collect();
    let sentence = format!(
        "`{workload}` does not do the work of the specification, but with defects of sysbench-tpcc: {} (docs/tpcc.md says what each does).",
        on.join(", ")
    );
    (!on.is_empty()).then_some(sentence).into_iter().collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mix {
    Deck,
    Independent,
    Weighted,
}

/// What the parameters make of the work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habits {
    pub warehouses: u64,
    pub sets: u64,
    pub protocol: Form,
    pub mix: Mix,
    pub fixed_home: bool,
    pub swallow: bool,
    /// New-Order inserts NULL into `ol_delivery_d` explicitly.
    pub explicit_null: bool,
    pub never_remote: bool,
    pub flat_nurand: bool,
    pub bad_item_early: bool,
    pub wrong_order_read: bool,
    pub stock_not_counted: bool,
    pub amounts_taxed: bool,
    pub name_off_by_one: bool,
    pub payments_not_counted: bool,
    pub items_unsorted: bool,
    pub retried_anew: bool,
}

impl Habits {
    pub fn of(parameters: &Parameters) -> Self {
        let flag = |name| flag(parameters, name);
        Self {
            warehouses: count(parameters, "warehouses"),
            sets: count(parameters, "table_sets"),
            protocol: Form::of(parameters),
            mix: match text(parameters, "mix") {
                "deck" => Mix::Deck,
                "independent" => Mix::Independent,
                _ => Mix::Weighted,
            },
            fixed_home: text(parameters, "home") == "fixed",
            swallow: text(parameters, "date_columns") == SWALLOWED,
            explicit_null: Shape::of(parameters).dates == Dates::Broken,
            never_remote: flag("never_remote"),
            flat_nurand: flag("flat_nurand"),
            bad_item_early: flag("bad_item_early"),
            wrong_order_read: flag("wrong_order_read"),
            stock_not_counted: flag("stock_not_counted"),
            amounts_taxed: flag("amounts_taxed"),
            name_off_by_one: flag("name_off_by_one"),
            payments_not_counted: flag("payments_not_counted"),
            items_unsorted: flag("items_unsorted"),
            retried_anew: flag("retried_anew"),
        }
    }
}
