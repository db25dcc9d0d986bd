//! The nine tables in as many sets as asked for, their indexes and constraints: the specification's types or those of
//! sysbench-tpcc, and the one column that the study is about. Indexes and constraints come after the rows.

use super::knobs::{Dates, ForeignKeys, Shape};
use super::nurand::DISTRICTS;
use crate::dataset::Table;

/// Orders of a district that wait for their delivery, the last ones.
pub(super) const UNDELIVERED: u64 = 900;

/// In the order in which they are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Item,
    Warehouse,
    District,
    Customer,
    History,
    Orders,
    NewOrders,
    OrderLine,
    Stock,
}

impl Kind {
    pub const ALL: [Self; 9] = [
        Self::Item,
        Self::Warehouse,
        Self::District,
        Self::Customer,
        Self::History,
        Self::Orders,
        Self::NewOrders,
        Self::OrderLine,
        Self::Stock,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Item => "item",
            Self::Warehouse => "warehouse",
            Self::District => "district",
            Self::Customer => "customer",
            Self::History => "history",
            Self::Orders => "orders",
            Self::NewOrders => "new_orders",
            Self::OrderLine => "order_line",
            Self::Stock => "stock",
        }
    }

    /// Rows of one warehouse; those of order_line only the generator knows.
    pub fn rows(self) -> u64 {
        match self {
            Self::Item | Self::Stock => super::nurand::ITEMS,
            Self::Warehouse => 1,
            Self::District => DISTRICTS,
            Self::Customer | Self::History | Self::Orders | Self::OrderLine => DISTRICTS * super::nurand::CUSTOMERS,
            Self::NewOrders => DISTRICTS * UNDELIVERED,
        }
    }

    pub fn columns(self) -> &'static str {
        match self {
            Self::Item => "i_id, i_im_id, i_name, i_price, i_data",
            Self::Warehouse => "w_id, w_name, w_street_1, w_street_2, w_city, w_state, w_zip, w_tax, w_ytd",
            Self::District => {
                "d_id, d_w_id, d_name, d_street_1, d_street_2, d_city, d_state, d_zip, d_tax, d_ytd, d_next_o_id"
            }
            Self::Customer => {
                "c_id, c_d_id, c_w_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, \
                 c_since, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data"
            }
            Self::History => "h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data",
            Self::Orders => "o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local",
            Self::NewOrders => "no_o_id, no_d_id, no_w_id",
            Self::OrderLine => {
                "ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info"
            }
            Self::Stock => {
                "s_i_id, s_w_id, s_quantity, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, \
                 s_dist_09, s_dist_10, s_ytd, s_order_cnt, s_remote_cnt, s_data"
            }
        }
    }

    pub(super) fn primary_key(self) -> &'static str {
        match self {
            Self::Item => "i_id",
            Self::Warehouse => "w_id",
            Self::District => "d_w_id, d_id",
            Self::Customer => "c_w_id, c_d_id, c_id",
            Self::History => "id",
            Self::Orders => "o_w_id, o_d_id, o_id",
            Self::NewOrders => "no_w_id, no_d_id, no_o_id",
            Self::OrderLine => "ol_w_id, ol_d_id, ol_o_id, ol_number",
            Self::Stock => "s_w_id, s_i_id",
        }
    }

    /// Name and type of each column; those of the primary key are never NULL, the others may be.
    pub(super) fn definitions(self, shape: &Shape) -> Vec<(&'static str, String)> {
        let decimal = if shape.sysbench { "decimal(4,2)" } else { "decimal(4,4)" };
        let limit = if shape.sysbench { "bigint" } else { "decimal(12,2)" };
        let data = if shape.sysbench { "text" } else { "varchar(500)" };
        let kind = |name: &str| -> String {
            let fixed = match name {
                "ol_delivery_d" => return delivery(shape),
                "o_carrier_id" if shape.dates == Dates::DefaultAndCarrier => "tinyint NOT NULL DEFAULT 0",
                "w_tax" | "d_tax" | "c_discount" => decimal,
                "c_credit_lim" => limit,
                "c_data" => data,
                "w_ytd" | "d_ytd" | "c_balance" | "c_ytd_payment" => "decimal(12,2)",
                "h_amount" | "ol_amount" => "decimal(6,2)",
                "i_price" => "decimal(5,2)",
                "s_ytd" => "decimal(8,0)",
                "c_since" | "h_date" | "o_entry_d" => "datetime",
                "c_first" | "c_last" => "varchar(16)",
                "c_middle" | "c_credit" => "char(2)",
                "c_phone" => "char(16)",
                "h_data" | "i_name" => "varchar(24)",
                "i_data" | "s_data" => "varchar(50)",
                "ol_dist_info" => "char(24)",
                "o_carrier_id" | "o_ol_cnt" | "o_all_local" | "ol_number" | "ol_quantity" => "tinyint",
                "s_quantity" | "s_order_cnt" | "s_remote_cnt" | "c_payment_cnt" | "c_delivery_cnt" => "smallint",
                name if name.starts_with("s_dist_") => "char(24)",
                name if name.ends_with("_name") => "varchar(10)",
                name if name.ends_with("_state") => "char(2)",
                name if name.ends_with("_zip") => "char(9)",
                name if name.contains("_street_") || name.ends_with("_city") => "varchar(20)",
                // The numbers of warehouses and districts, and all others.
                name if name.ends_with("w_id") => "smallint",
                name if name.ends_with("d_id") => "tinyint",
                _ => "int",
            };
            fixed.to_string()
        };
        self.columns().split(", ").map(|name| (name, kind(name))).collect()
    }
}

/// The column of the study.
fn delivery(shape: &Shape) -> String {
    let sentinel = &shape.sentinel;
    match shape.dates {
        Dates::Null | Dates::Redundant | Dates::Room => "datetime".into(),
        Dates::Timestamp => "timestamp NULL".into(),
        Dates::Default | Dates::DefaultAndCarrier => format!("datetime NOT NULL DEFAULT '{sentinel}'"),
        Dates::Broken => "datetime NOT NULL".into(),
    }
}

pub(super) fn table(kind: Kind, set: u64, rows: u64, shape: &Shape, engine: &str) -> Table {
    let key = kind.primary_key();
    let keyed = kind != Kind::History || shape.history_key;
    let mut lines = Vec::new();
    if kind == Kind::History && keyed {
        lines.push("id int NOT NULL AUTO_INCREMENT".to_string());
    }
    let is_key = |name: &str| key.split(", ").any(|part| part == name);
    lines.extend(kind.definitions(shape).into_iter().map(|(name, kind)| {
        let rest = if is_key(name) { " NOT NULL" } else { "" };
        format!("{name} {kind}{rest}")
    }));
    if keyed {
        lines.push(format!("PRIMARY KEY ({key})"));
    }
    let grows = matches!(kind, Kind::Orders | Kind::OrderLine);
    let format = if shape.dates == Dates::Redundant && grows { " ROW_FORMAT=REDUNDANT" } else { "" };
    let (character_set, collation) = (shape.charset.character_set, shape.charset.collation);
    let name = format!("{}{set}", kind.name());
    let create = format!(
        "CREATE TABLE {name} (\n  {}\n) ENGINE={engine}{format} DEFAULT CHARSET={character_set} COLLATE={collation}",
        lines.join(",\n  ")
    );
    Table { name, create, rows, after: after(kind, set, shape) }
}

/// Name, table and columns of each secondary index; the last four serve foreign keys only.
pub(super) const INDEXES: [(&str, Kind, &str); 6] = [
    ("idx_customer", Kind::Customer, "c_w_id,c_d_id,c_last,c_first"),
    ("idx_orders", Kind::Orders, "o_w_id,o_d_id,o_c_id,o_id"),
    ("fkey_stock_2", Kind::Stock, "s_i_id"),
    ("fkey_order_line_2", Kind::OrderLine, "ol_supply_w_id,ol_i_id"),
    ("fkey_history_1", Kind::History, "h_c_w_id,h_c_d_id,h_c_id"),
    ("fkey_history_2", Kind::History, "h_w_id,h_d_id"),
];
pub(super) const NEEDED: usize = 2;

/// Name, table, columns, and what they refer to.
pub(super) const CONSTRAINTS: [(&str, Kind, &str, &str, &str); 10] = [
    ("fkey_new_orders_1_", Kind::NewOrders, "no_w_id,no_d_id,no_o_id", "orders", "o_w_id,o_d_id,o_id"),
    ("fkey_orders_1_", Kind::Orders, "o_w_id,o_d_id,o_c_id", "customer", "c_w_id,c_d_id,c_id"),
    ("fkey_customer_1_", Kind::Customer, "c_w_id,c_d_id", "district", "d_w_id,d_id"),
    ("fkey_history_1_", Kind::History, "h_c_w_id,h_c_d_id,h_c_id", "customer", "c_w_id,c_d_id,c_id"),
    ("fkey_history_2_", Kind::History, "h_w_id,h_d_id", "district", "d_w_id,d_id"),
    ("fkey_district_1_", Kind::District, "d_w_id", "warehouse", "w_id"),
    ("fkey_order_line_1_", Kind::OrderLine, "ol_w_id,ol_d_id,ol_o_id", "orders", "o_w_id,o_d_id,o_id"),
    ("fkey_order_line_2_", Kind::OrderLine, "ol_supply_w_id,ol_i_id", "stock", "s_w_id,s_i_id"),
    ("fkey_stock_1_", Kind::Stock, "s_w_id", "warehouse", "w_id"),
    ("fkey_stock_2_", Kind::Stock, "s_i_id", "item", "i_id"),
];

/// Indexes in one statement, so that the table is read once; then the constraints, which the generator's rows keep.
fn after(kind: Kind, set: u64, shape: &Shape) -> Vec<String> {
    let wanted = if shape.all_indexes { INDEXES.len() } else { NEEDED };
    let of_table =
        |(name, of, columns): &(&str, Kind, &str)| (*of == kind).then(|| format!("ADD INDEX {name}{set} ({columns})"));
    let indexes: Vec<String> = INDEXES[..wanted].iter().filter_map(of_table).collect();
    let name = kind.name();
    let mut all: Vec<String> =
        (!indexes.is_empty()).then(|| format!("ALTER TABLE {name}{set} {}", indexes.join(", "))).into_iter().collect();
    let declared: Vec<String> = CONSTRAINTS
        .iter()
        .filter(|c| c.1 == kind && shape.foreign_keys != ForeignKeys::None)
        .map(|(constraint, _, columns, other, theirs)| {
            format!("ADD CONSTRAINT {constraint}{set} FOREIGN KEY ({columns}) REFERENCES {other}{set} ({theirs})")
        })
        .collect();
    if !declared.is_empty() {
        all.push("SET foreign_key_checks = 0".into());
        all.push(format!("ALTER TABLE {name}{set} {}", declared.join(", ")));
        all.push("SET foreign_key_checks = 1".into());
    }
    all
}
