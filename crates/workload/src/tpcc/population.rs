//! The population of clause 4.3.3, a warehouse at a time: each row depends on the seed and its own number alone, so
//! that any warehouse can be made again without the others. What the load must not know (the number of lines of an
//! order, the customer of an order) is drawn per district. Dates are fixed, because rows are to be equal for ever.

use super::knobs::{Dates, Shape};
use super::nurand::{CUSTOMERS, Constants, DISTRICTS, ITEMS, LastName};
use super::postgresql;
use super::schema::{Kind, UNDELIVERED, table};
use super::texts::Writer;
use crate::dataset::{Dataset, Rows, Spot, Table};
use crate::draw::Generator;
use model::seed::Seed;
use std::collections::BTreeMap;

/// The first of them.
const FIRST_UNDELIVERED: u64 = CUSTOMERS - UNDELIVERED + 1;
/// When everything happened that was before.
const THEN: &str = "2010-02-17 12:00:00";

pub(super) struct Population {
    pub(super) shape: Shape,
    engine: String,
    seed: Seed,
    constants: Constants,
    /// By set: all lines of its orders.
    lines: Vec<u64>,
}

/// A warehouse of a set.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub set: u64,
    pub warehouse: u64,
}

impl Population {
    pub fn of(shape: Shape, engine: &str, seed: Seed) -> Self {
        let constants = Constants::of_load(shape.sysbench);
        let seed = seed.child("tpcc");
        let mut population = Self { shape, engine: engine.to_string(), seed, constants, lines: Vec::new() };
        let shape = &population.shape;
        let of_set = |set| (1..=shape.warehouses).map(|w| population.lines_of(Place { set, warehouse: w })).sum();
        population.lines = (1..=shape.sets).map(of_set).collect();
        population
    }

    fn seed_of(&self, place: Place, what: &str) -> Seed {
        self.seed.nth(place.set).nth(place.warehouse).child(what)
    }

    /// The lines of each order of a district.
    fn line_counts(&self, place: Place, district: u64) -> impl Iterator<Item = u64> + use<> {
        let mut generator = Generator::new(self.seed_of(place, "lines").nth(district));
        (0..CUSTOMERS).map(move |_| 5 + generator.below(11))
    }

    pub(super) fn lines_of(&self, place: Place) -> u64 {
        (1..=DISTRICTS).flat_map(|district| self.line_counts(place, district)).sum()
    }

    /// The customers of a district in the order of its orders.
    fn buyers(&self, place: Place, district: u64) -> Vec<u64> {
        let mut generator = Generator::new(self.seed_of(place, "buyers").nth(district));
        let mut all: Vec<u64> = (1..=CUSTOMERS).collect();
        for last in (1..all.len()).rev() {
            all.swap(last, generator.below(last as u64 + 1) as usize);
        }
        all
    }

    fn writer<'a>(&self, place: Place, kind: Kind, row: u64, text: &'a mut Vec<u8>) -> Writer<'a> {
        let generator = Generator::new(self.seed_of(place, kind.name()).nth(row));
        Writer { text, generator, sysbench: self.shape.sysbench }
    }

    /// One row of those that count off: numbered from 0 within the warehouse (items: within the set).
    pub(super) fn row(&self, place: Place, kind: Kind, row: u64, text: &mut Vec<u8>) {
        let mut w = self.writer(place, kind, row, text);
        let (district, number) = (row / CUSTOMERS + 1, row % CUSTOMERS + 1);
        match kind {
            Kind::Item => self.item(&mut w, row + 1),
            Kind::Warehouse => {
                w.number(place.warehouse);
                w.tab();
                w.name_and_address();
                w.share(2_000);
                w.fixed("300000.00");
            }
            Kind::District => {
                w.number(row + 1);
                w.tab();
                w.number(place.warehouse);
                w.tab();
                w.name_and_address();
                w.share(2_000);
                w.fixed("30000.00\t3001");
            }
            Kind::Customer => self.customer(&mut w, place, district, number),
            Kind::History => {
                for key in [number, district, place.warehouse, district, place.warehouse] {
                    w.number(key);
                    w.tab();
                }
                w.fixed(THEN);
                w.fixed("\t10.00\t");
                w.filling(12, 24);
            }
            Kind::NewOrders => {
                w.number(FIRST_UNDELIVERED + row % UNDELIVERED);
                w.tab();
                w.number(row / UNDELIVERED + 1);
                w.tab();
                w.number(place.warehouse);
            }
            Kind::Stock => self.stock(&mut w, place, row + 1),
            Kind::Orders | Kind::OrderLine => unreachable!("orders are made by district"),
        }
        w.end();
    }

    fn item(&self, w: &mut Writer, item: u64) {
        w.number(item);
        w.tab();
        let image = w.between(1, 10_000);
        w.number(image);
        w.tab();
        w.letters(14, 24);
        w.tab();
        let price = w.between(100, 10_000);
        w.decimal(price, 2);
        w.tab();
        w.data(26, 50);
    }

    fn customer(&self, w: &mut Writer, place: Place, district: u64, customer: u64) {
        for key in [customer, district, place.warehouse] {
            w.number(key);
            w.tab();
        }
        match w.sysbench {
            true => {
                w.fixed("first-");
                w.letters(2, 10);
            }
            false => w.letters(8, 16),
        }
        w.fixed("\tOE\t");
        let name = if customer <= 1_000 { customer - 1 } else { self.constants.last_name(&mut w.generator) };
        w.text.extend_from_slice(LastName::of(name).text());
        w.tab();
        w.address();
        w.digits(16);
        w.tab();
        w.fixed(THEN);
        let bad_credit = w.generator.below(10) == 0;
        w.fixed(if bad_credit { "\tBC\t" } else { "\tGC\t" });
        w.fixed(if w.sysbench { "50000\t" } else { "50000.00\t" });
        w.share(5_000);
        w.fixed("-10.00\t10.00\t1\t0\t");
        w.filling(300, 500);
    }

    fn stock(&self, w: &mut Writer, place: Place, item: u64) {
        w.number(item);
        w.tab();
        w.number(place.warehouse);
        w.tab();
        let quantity = w.between(10, 100);
        w.number(quantity);
        w.tab();
        for _ in 0..DISTRICTS {
            w.filling(24, 24);
            w.tab();
        }
        w.fixed("0\t0\t0\t");
        w.data(26, 50);
    }

    fn order(&self, w: &mut Writer, place: Place, district: u64, order: u64, buyer: u64, lines: u64) {
        for key in [order, district, place.warehouse, buyer] {
            w.number(key);
            w.tab();
        }
        w.fixed(THEN);
        w.tab();
        let carrier = w.between(1, 10);
        match (order < FIRST_UNDELIVERED, self.shape.dates) {
            (true, _) => w.number(carrier),
            (false, Dates::DefaultAndCarrier) => w.number(0),
            (false, _) => {
                w.fixed("\\N");
            }
        }
        w.tab();
        w.number(lines);
        w.fixed("\t1\n");
    }

    fn line(&self, w: &mut Writer, place: Place, district: u64, order: u64, number: u64) {
        let delivered = order < FIRST_UNDELIVERED;
        for key in [order, district, place.warehouse, number] {
            w.number(key);
            w.tab();
        }
        let item = w.between(1, ITEMS);
        w.number(item);
        w.tab();
        w.number(place.warehouse);
        w.tab();
        match (delivered, self.shape.has_sentinel()) {
            (true, _) => w.fixed(THEN),
            (false, true) => w.fixed(&self.shape.sentinel),
            (false, false) => w.fixed("\\N"),
        }
        w.fixed("\t5\t");
        let cents = if delivered { 0 } else { w.between(1, 999_999) };
        w.decimal(cents, 2);
        w.tab();
        w.filling(24, 24);
        w.end();
    }

    /// One cut of so many of a warehouse's orders, or of their lines; says how many rows. A heap keeps rows as they
    /// come in, and these did by their age; trees sort them, and take them in the order of their keys.
    pub(super) fn orders(&self, place: Place, kind: Kind, (cut, cuts): (u64, u64), text: &mut Vec<u8>) -> u64 {
        let is_heap = self.shape.is_postgresql();
        let part = |of: u64| cut * of / cuts + 1..=(cut + 1) * of / cuts;
        let (districts, orders) =
            if is_heap { (1..=DISTRICTS, part(CUSTOMERS)) } else { (part(DISTRICTS), 1..=CUSTOMERS) };
        let mut keys: Vec<(u64, u64)> =
            districts.clone().flat_map(|district| orders.clone().map(move |order| (district, order))).collect();
        if is_heap {
            keys.sort_by_key(|(district, order)| (*order, *district));
        }
        let drawn = districts.map(|district| {
            let buyers = if kind == Kind::Orders { self.buyers(place, district) } else { Vec::new() };
            (district, (buyers, self.line_counts(place, district).collect::<Vec<_>>()))
        });
        let drawn: BTreeMap<u64, (Vec<u64>, Vec<u64>)> = drawn.collect();
        let mut rows = 0;
        for (district, order) in keys {
            let (buyers, lines) = &drawn[&district];
            let at = order as usize - 1;
            let mut w = self.writer(place, kind, (district - 1) * CUSTOMERS + order - 1, text);
            match buyers.get(at) {
                Some(buyer) => self.order(&mut w, place, district, order, *buyer, lines[at]),
                None => (1..=lines[at]).for_each(|number| self.line(&mut w, place, district, order, number)),
            }
            rows += if kind == Kind::Orders { 1 } else { lines[at] };
        }
        rows
    }
}

impl Dataset for Population {
    fn tables(&self) -> Vec<Table> {
        let of_set = |set: u64| {
            Kind::ALL.into_iter().map(move |kind| {
                let rows = match kind {
                    Kind::Item => ITEMS,
                    Kind::OrderLine => self.lines[set as usize - 1],
                    counted => counted.rows() * self.shape.warehouses,
                };
                match self.shape.is_postgresql() {
                    true => postgresql::table(kind, set, rows, &self.shape),
                    false => table(kind, set, rows, &self.shape, &self.engine),
                }
            })
        };
        (1..=self.shape.sets).flat_map(of_set).collect()
    }

    fn columns(&self, table: usize) -> &'static str {
        Kind::ALL[table % Kind::ALL.len()].columns()
    }

    fn rows(&self) -> Rows<'_> {
        Rows::ByUnit(self)
    }

    fn spot(&self, table: usize, row: u64) -> Spot {
        let kind = Kind::ALL[table % Kind::ALL.len()];
        let set = (table / Kind::ALL.len()) as u64 + 1;
        let of_warehouse = if kind == Kind::Item { ITEMS } else { kind.rows() };
        let warehouse = if kind == Kind::Item { 0 } else { row / of_warehouse % self.shape.warehouses + 1 };
        let (place, row) = (Place { set, warehouse }, row % of_warehouse);
        let (district, number) = (row / CUSTOMERS + 1, row % CUSTOMERS + 1);
        let mut text = Vec::new();
        match kind {
            Kind::Orders => {
                let buyer = self.buyers(place, district)[number as usize - 1];
                let lines = self.line_counts(place, district).nth(number as usize - 1).expect("an order");
                let mut w = self.writer(place, kind, row, &mut text);
                self.order(&mut w, place, district, number, buyer, lines);
            }
            Kind::OrderLine => {
                let mut w = self.writer(place, kind, row, &mut text);
                self.line(&mut w, place, district, number, 1);
            }
            counted => self.row(place, counted, row, &mut text),
        }
        let text = String::from_utf8(text).expect("generated lines are ASCII");
        let values: Vec<&str> = text.trim_end_matches('\n').split('\t').collect();
        let keys: &[&str] = match kind {
            Kind::Item => &["i_id"],
            Kind::Warehouse => &["w_id"],
            Kind::District => &["d_id", "d_w_id"],
            Kind::Customer => &["c_id", "c_d_id", "c_w_id"],
            // It has no key, and a run appends to it: what all of its rows share is looked at.
            Kind::History => &["h_amount"],
            Kind::Orders => &["o_id", "o_d_id", "o_w_id"],
            Kind::NewOrders => &["no_o_id", "no_d_id", "no_w_id"],
            Kind::OrderLine => &["ol_o_id", "ol_d_id", "ol_w_id", "ol_number"],
            Kind::Stock => &["s_i_id", "s_w_id"],
        };
        let columns: Vec<&str> = kind.columns().split(", ").collect();
        let value = |name: &str| values[columns.iter().position(|c| *c == name).expect("a key is a column")];
        let rule: Vec<String> = keys.iter().map(|key| format!("{key} = {}", value(key))).collect();
        let what = if kind == Kind::History { "h_amount" } else { kind.columns() };
        let expected = if kind == Kind::History { vec!["10.00"] } else { values.clone() };
        Spot {
            sql: format!("SELECT {what} FROM {}{set} WHERE {} LIMIT 1", kind.name(), rule.join(" AND ")),
            expected: expected.into_iter().map(|v| (v != "\\N").then(|| v.to_string())).collect(),
        }
    }
}
