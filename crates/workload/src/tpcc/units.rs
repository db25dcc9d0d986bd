//! In which units the population is loaded, each whole or not at all. The stock of a warehouse is a unit of its own
//! behind everybody's orders: so the index of their lines, the dearest, is built on one CPU while stock comes in on the
//! others (measured on two: it had been a fifth of the time). Not here: what the rows say.

use super::nurand::DISTRICTS;
use super::population::{Place, Population};
use super::schema::Kind;
use crate::dataset::{ByUnit, Piece};

/// What a unit is of its warehouse, or of its set.
#[derive(Clone, Copy)]
enum Part {
    Orders,
    Stock,
    Items,
}

impl Part {
    /// With cuts into pieces of at most eight megabytes.
    fn kinds(self) -> &'static [(Kind, u64)] {
        match self {
            Self::Orders => &[
                (Kind::Warehouse, 1),
                (Kind::District, 1),
                (Kind::Customer, 5),
                (Kind::History, 1),
                (Kind::Orders, 1),
                (Kind::NewOrders, 1),
                (Kind::OrderLine, 5),
            ],
            Self::Stock => &[(Kind::Stock, 5)],
            Self::Items => &[(Kind::Item, 2)],
        }
    }
}

impl Population {
    fn place(&self, unit: u64) -> (Place, Part) {
        let (sets, each) = (self.shape.sets, self.shape.sets * self.shape.warehouses);
        let of = |number: u64| Place { set: number % sets + 1, warehouse: number / sets + 1 };
        match unit.checked_sub(each) {
            None => (of(unit), Part::Orders),
            Some(number) if number < each => (of(number), Part::Stock),
            Some(number) => (Place { set: number - each + 1, warehouse: 0 }, Part::Items),
        }
    }

    fn table(place: Place, kind: Kind) -> usize {
        (place.set as usize - 1) * Kind::ALL.len() + kind as usize
    }
}

impl ByUnit for Population {
    fn name(&self, unit: u64) -> String {
        let (Place { set, warehouse }, part) = self.place(unit);
        match part {
            Part::Orders => format!("warehouse {warehouse} of set {set}"),
            Part::Stock => format!("stock of warehouse {warehouse} of set {set}"),
            Part::Items => format!("items of set {set}"),
        }
    }

    /// The orders of every warehouse of each set, then their stock, then the items of the sets.
    fn units(&self) -> u64 {
        self.shape.sets * (1 + 2 * self.shape.warehouses)
    }

    fn tables_of(&self, unit: u64) -> Vec<usize> {
        let (place, part) = self.place(unit);
        part.kinds().iter().map(|(kind, _)| Self::table(place, *kind)).collect()
    }

    fn rows_of(&self, unit: u64) -> u64 {
        let (place, part) = self.place(unit);
        let rows = |kind: Kind| if kind == Kind::OrderLine { self.lines_of(place) } else { kind.rows() };
        part.kinds().iter().map(|(kind, _)| rows(*kind)).sum()
    }

    fn pieces(&self, unit: u64) -> u64 {
        self.place(unit).1.kinds().iter().map(|(_, cuts)| cuts).sum()
    }

    fn piece(&self, unit: u64, piece: u64, text: &mut Vec<u8>) -> Piece {
        let (place, part) = self.place(unit);
        let mut cuts = part.kinds().iter().flat_map(|(kind, cuts)| (0..*cuts).map(|cut| (*kind, cut, *cuts)));
        let (kind, cut, cuts) = cuts.nth(piece as usize).expect("a piece of the unit");
        let rows = match kind {
            Kind::Orders | Kind::OrderLine => self.orders(place, kind, (cut, cuts), text),
            Kind::Item
            | Kind::Warehouse
            | Kind::District
            | Kind::Customer
            | Kind::History
            | Kind::NewOrders
            | Kind::Stock => {
                let (from, to) = (cut * kind.rows() / cuts, (cut + 1) * kind.rows() / cuts);
                (from..to).for_each(|row| self.row(place, kind, row, text));
                to - from
            }
        };
        Piece { table: Self::table(place, kind), rows }
    }

    fn sample(&self, text: &mut Vec<u8>) {
        let place = Place { set: 1, warehouse: self.shape.warehouses };
        for kind in
            [Kind::Item, Kind::Warehouse, Kind::District, Kind::Customer, Kind::History, Kind::NewOrders, Kind::Stock]
        {
            (0..kind.rows().min(3)).for_each(|row| self.row(place, kind, row, text));
        }
        for kind in [Kind::Orders, Kind::OrderLine] {
            let from = text.len();
            self.orders(place, kind, (DISTRICTS - 1, DISTRICTS), text);
            // The last orders are those that wait.
            text.drain(from..text.len() - 1_000);
        }
    }
}
