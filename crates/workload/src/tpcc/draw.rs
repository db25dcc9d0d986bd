//! Hot path: what one transaction is to do, drawn before it begins, so that a retry does the same again: its kind by
//! deck or by weights, its warehouse by home or at random, and all inputs of clause 2.4 to 2.8.

use super::knobs::{Habits, Mix};
use super::nurand::{Constants, DISTRICTS, ITEMS, LastName};
use crate::draw::Generator;
use crate::user::Operation;

pub(super) const MOST_LINES: usize = 15;
/// Two of five customers are known by their number.
const BY_NAME: u64 = 60;
/// An item that nobody sells, as the specification asks for one, and as sysbench-tpcc does.
const UNUSED_ITEM: u64 = ITEMS + 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    NewOrder,
    Payment,
    OrderStatus,
    Delivery,
    StockLevel,
    /// A New-Order that asks for an unused item and is rolled back, counted apart.
    Rollback,
}

impl Kind {
    pub const NAMES: &[&str] =
        &["new_order", "payment", "order_status", "delivery", "stock_level", "new_order_rollback"];
    pub fn operation(self) -> Operation {
        Operation(self as u16)
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    /// `None`: unused.
    pub item: Option<u64>,
    pub supply: u64,
    pub quantity: u64,
}

/// One transaction's inputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inputs {
    pub kind: Kind,
    pub set: u64,
    pub warehouse: u64,
    pub district: u64,
    /// Whose customer, and which: by number, or by name.
    pub of: (u64, u64),
    pub customer: u64,
    pub name: Option<LastName>,
    pub lines: [Line; MOST_LINES],
    pub count: usize,
    pub all_local: bool,
    pub cents: u64,
    pub carrier: u64,
    pub threshold: u64,
}

/// The unused item as a value: the last number plus one, or below zero in sysbench-tpcc.
pub(super) const UNUSED: u64 = UNUSED_ITEM;

pub(super) struct Drawer {
    habits: Habits,
    constants: Constants,
    generator: Generator,
    home: (u64, u64),
    deck: [Kind; 23],
    dealt: usize,
}

impl Drawer {
    pub fn new(habits: Habits, constants: Constants, generator: Generator, user: u32) -> Self {
        let user = u64::from(user);
        let home = (user % habits.warehouses + 1, user / habits.warehouses % DISTRICTS + 1);
        let mut deck = [Kind::NewOrder; 23];
        deck[10..20].fill(Kind::Payment);
        deck[20..].copy_from_slice(&[Kind::OrderStatus, Kind::Delivery, Kind::StockLevel]);
        Self { habits, constants, generator, home, dealt: deck.len(), deck }
    }

    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.generator.below(high - low + 1)
    }
    /// True in so many of a hundred.
    fn chance(&mut self, percent: u64) -> bool {
        self.generator.below(100) < percent
    }

    fn kind(&mut self) -> Kind {
        match self.habits.mix {
            Mix::Deck => {
                if self.dealt == self.deck.len() {
                    self.dealt = 0;
                    for last in (1..self.deck.len()).rev() {
                        self.deck.swap(last, self.generator.below(last as u64 + 1) as usize);
                    }
                }
                self.dealt += 1;
                self.deck[self.dealt - 1]
            }
            // An unshuffled deck has the right shares.
            Mix::Independent if self.dealt == self.deck.len() => self.deck[self.generator.below(23) as usize],
            Mix::Independent => unreachable!("a deck that nobody deals"),
            Mix::Weighted => match self.generator.below(100) {
                0..45 => Kind::NewOrder,
                45..88 => Kind::Payment,
                88..92 => Kind::OrderStatus,
                92..96 => Kind::Delivery,
                _ => Kind::StockLevel,
            },
        }
    }

    /// Another warehouse than this one, where there is one and the habits admit it.
    fn other(&mut self, warehouse: u64) -> u64 {
        let all = self.habits.warehouses;
        if all == 1 || self.habits.never_remote {
            return warehouse;
        }
        let drawn = self.between(1, all - 1);
        drawn + u64::from(drawn >= warehouse)
    }

    pub fn draw(&mut self) -> Inputs {
        let kind = self.kind();
        let set = self.between(1, self.habits.sets);
        let warehouse = if self.habits.fixed_home { self.home.0 } else { self.between(1, self.habits.warehouses) };
        let fixed_district = self.habits.fixed_home && kind == Kind::StockLevel;
        let district = if fixed_district { self.home.1 } else { self.between(1, DISTRICTS) };
        let mut inputs = Inputs {
            kind,
            set,
            warehouse,
            district,
            of: (warehouse, district),
            customer: self.constants.customer(&mut self.generator),
            name: None,
            lines: [Line::default(); MOST_LINES],
            count: 0,
            all_local: true,
            cents: 0,
            carrier: self.between(1, 10),
            threshold: self.between(10, 20),
        };
        match kind {
            Kind::NewOrder | Kind::Rollback => self.lines(&mut inputs),
            Kind::Payment => {
                let whole = self.habits.payments_not_counted;
                inputs.cents = if whole { 100 * self.between(1, 5_000) } else { self.between(100, 500_000) };
                if self.chance(15) {
                    inputs.of = (self.other(warehouse), self.between(1, DISTRICTS));
                    // Alone, it has nobody else's customers.
                    if self.habits.warehouses == 1 && !self.habits.never_remote {
                        inputs.of = (warehouse, district);
                    }
                }
                inputs.name = self.name();
            }
            Kind::OrderStatus => inputs.name = self.name(),
            Kind::Delivery | Kind::StockLevel => {}
        }
        inputs
    }

    fn name(&mut self) -> Option<LastName> {
        let by_name = self.chance(BY_NAME);
        by_name.then(|| LastName::of(self.constants.last_name(&mut self.generator)))
    }

    fn lines(&mut self, inputs: &mut Inputs) {
        inputs.count = self.between(5, 15) as usize;
        for at in 0..inputs.count {
            let item = Some(self.constants.item(&mut self.generator));
            let remote = self.chance(1) && self.habits.warehouses > 1;
            let supply = if remote { self.other(inputs.warehouse) } else { inputs.warehouse };
            inputs.all_local &= !remote;
            inputs.lines[at] = Line { item, supply, quantity: self.between(1, 10) };
        }
        let rolled_back = self.chance(1);
        if !self.habits.items_unsorted {
            inputs.lines[..inputs.count].sort_unstable_by_key(|line| (line.supply, line.item));
        }
        if rolled_back {
            inputs.kind = Kind::Rollback;
            inputs.lines[inputs.count - if self.habits.bad_item_early { 2 } else { 1 }].item = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workload;
    use crate::tpcc::{COMPAT, FAITHFUL, Tpcc};
    use model::seed::Seed;
    use model::value::Value;

    fn drawn(workload: &Tpcc, warehouses: i64, count: usize) -> Vec<Inputs> {
        let mut parameters = workload.words().defaults();
        parameters.insert("warehouses".into(), Value::Count(warehouses));
        let habits = Habits::of(&parameters);
        let constants = Constants::of_run(Seed(1), habits.flat_nurand);
        let mut drawer = Drawer::new(habits, constants, Generator::new(Seed(2)), 3);
        (0..count).map(|_| drawer.draw()).collect()
    }
    fn share(all: &[Inputs], is: impl Fn(&Inputs) -> bool) -> f64 {
        all.iter().filter(|i| is(i)).count() as f64 / all.len() as f64
    }
    fn near(seen: f64, wanted: f64, by: f64) {
        assert!((seen - wanted).abs() < by, "{seen} is not {wanted}");
    }

    #[test]
    fn shares_are_those_of_the_specification() {
        let all = drawn(&FAITHFUL, 10, 230_000);
        near(share(&all, |i| matches!(i.kind, Kind::NewOrder | Kind::Rollback)), 10.0 / 23.0, 1e-9);
        near(share(&all, |i| i.kind == Kind::StockLevel), 1.0 / 23.0, 1e-9);
        let of = |wanted: &[Kind]| all.iter().filter(|i| wanted.contains(&i.kind)).copied().collect::<Vec<_>>();
        let orders = of(&[Kind::NewOrder, Kind::Rollback]);
        near(share(&orders, |i| i.kind == Kind::Rollback), 0.01, 0.001);
        let lines: Vec<_> = orders.iter().flat_map(|i| i.lines[..i.count].iter().map(|l| (i.warehouse, *l))).collect();
        near(lines.len() as f64 / orders.len() as f64, 10.0, 0.05);
        let remote = lines.iter().filter(|(home, line)| line.supply != *home).count();
        near(remote as f64 / lines.len() as f64, 0.01, 0.001);
        assert!(orders.iter().all(|i| i.all_local == i.lines[..i.count].iter().all(|l| l.supply == i.warehouse)));
        let payments = of(&[Kind::Payment]);
        near(share(&payments, |i| i.of.0 != i.warehouse), 0.15, 0.005);
        near(share(&payments, |i| i.name.is_some()), 0.6, 0.01);
        assert!(all.iter().all(|i| i.warehouse == 4), "a user keeps its warehouse");
    }

    #[test]
    fn an_order_that_is_rolled_back_asks_for_its_unused_item_last() {
        for (workload, from_the_end) in [(&FAITHFUL, 1), (&COMPAT, 2)] {
            let bad: Vec<_> = drawn(workload, 3, 50_000).into_iter().filter(|i| i.kind == Kind::Rollback).collect();
            assert!(bad.len() > 100);
            for order in bad {
                let unused: Vec<usize> = (0..order.count).filter(|at| order.lines[*at].item.is_none()).collect();
                assert_eq!(unused, [order.count - from_the_end]);
            }
        }
    }

    #[test]
    fn compat_is_never_remote_and_says_that_it_is() {
        let all = drawn(&COMPAT, 10, 50_000);
        assert!(all.iter().all(|i| i.of.0 == i.warehouse));
        assert!(all.iter().all(|i| i.lines[..i.count].iter().all(|l| l.supply == i.warehouse)));
        assert!(all.iter().any(|i| !i.all_local));
        near(share(&all, |i| i.warehouse == 4), 0.1, 0.01);
    }

    #[test]
    fn lines_are_in_one_order_so_that_two_orders_never_wait_for_each_other() {
        let sorted = |i: &Inputs| i.lines[..i.count].is_sorted_by_key(|l| (l.supply, l.item.unwrap_or(u64::MAX)));
        assert!(drawn(&FAITHFUL, 1, 5_000).iter().filter(|i| i.kind == Kind::NewOrder).all(sorted));
        assert!(!drawn(&COMPAT, 1, 5_000).iter().filter(|i| i.kind == Kind::NewOrder).all(sorted));
    }
}
