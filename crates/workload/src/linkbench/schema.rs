//! The three tables as LinkBench's README has them, with the variants that its users run: partitions or none,
//! compressed pages, and for RocksDB the column families of Callaghan's scripts, the secondary index in reverse because
//! lists are read newest first. The secondary index comes after the rows, sorted once, as he loads.

use super::knobs::{count_if_any, is_on};
use super::postgresql;
use crate::Parameters;
use crate::dataset::Table;
use model::plan::served::HEAP;

/// Characters of an index's comment.
const COMMENT: usize = 1024;

/// What tables are made with.
pub(super) struct Schema {
    engine: String,
    partitions: u64,
    partition_all: bool,
    key_block_kib: u64,
}

impl Schema {
    pub fn of(parameters: &Parameters, engine: &str) -> Self {
        Self {
            engine: engine.to_string(),
            partitions: count_if_any(parameters, "partitions"),
            partition_all: is_on(parameters, "partition_all"),
            key_block_kib: count_if_any(parameters, "key_block_kib"),
        }
    }
    pub fn is_postgresql(&self) -> bool {
        self.engine == HEAP
    }
    fn is_rocksdb(&self) -> bool {
        self.engine == "rocksdb"
    }
    /// A case-insensitive collation would keep RocksDB from reading the index alone.
    fn options(&self, compressed: bool, partitioned_by: Option<&str>) -> String {
        let collation = if self.is_rocksdb() { " COLLATE=latin1_bin" } else { "" };
        let block = match self.key_block_kib {
            0 => String::new(),
            _ if !compressed || self.is_rocksdb() => String::new(),
            kib => format!(" KEY_BLOCK_SIZE={kib}"),
        };
        let partitions = match (self.partitions, partitioned_by) {
            (0, _) | (_, None) => String::new(),
            (parts, Some(column)) => format!(" PARTITION BY KEY({column}) PARTITIONS {parts}"),
        };
        format!("ENGINE={} DEFAULT CHARSET=latin1{collation}{block}{partitions}", self.engine)
    }
    /// A key's column family, named for each partition, because MyRocks otherwise leaves partitions in the default one;
    /// so it does where there are more of them than a comment has room for.
    fn family(&self, name: &str, is_partitioned: bool) -> String {
        let comment = match self.partitions {
            parts if is_partitioned && parts > 0 => {
                (0..parts).map(|part| format!("p{part}_cfname={name}")).collect::<Vec<_>>().join(";")
            }
            _ => format!("cfname={name}"),
        };
        if self.is_rocksdb() && comment.len() <= COMMENT { format!(" COMMENT '{comment}'") } else { String::new() }
    }
    pub fn links(&self, rows: u64) -> Table {
        if self.is_postgresql() {
            return postgresql::table("linktable", rows, self.partitions);
        }
        let create = format!(
            "CREATE TABLE linktable (\n  id1 bigint unsigned NOT NULL DEFAULT '0',\n  \
             id2 bigint unsigned NOT NULL DEFAULT '0',\n  link_type bigint unsigned NOT NULL DEFAULT '0',\n  \
             visibility tinyint NOT NULL DEFAULT '0',\n  data varchar(255) NOT NULL DEFAULT '',\n  \
             time bigint unsigned NOT NULL DEFAULT '0',\n  version int unsigned NOT NULL DEFAULT '0',\n  \
             PRIMARY KEY (link_type, id1, id2){}\n) {}",
            self.family("cf_link_pk", true),
            self.options(true, Some("id1"))
        );
        let index = format!(
            "CREATE INDEX id1_type ON linktable (id1, link_type, visibility, time, id2, version, data){}",
            self.family("rev:cf_link_id1_type", true)
        );
        Table { name: "linktable".into(), create, rows, after: vec![index] }
    }
    pub fn counts(&self, rows: u64) -> Table {
        if self.is_postgresql() {
            return postgresql::table("counttable", rows, if self.partition_all { self.partitions } else { 0 });
        }
        let create = format!(
            "CREATE TABLE counttable (\n  id bigint unsigned NOT NULL DEFAULT '0',\n  \
             link_type bigint unsigned NOT NULL DEFAULT '0',\n  count int unsigned NOT NULL DEFAULT '0',\n  \
             time bigint unsigned NOT NULL DEFAULT '0',\n  version bigint unsigned NOT NULL DEFAULT '0',\n  \
             PRIMARY KEY (id, link_type){}\n) {}",
            self.family("cf_count_pk", self.partition_all),
            self.options(true, self.partition_all.then_some("id"))
        );
        Table { name: "counttable".into(), create, rows, after: Vec::new() }
    }
    pub fn nodes(&self, rows: u64) -> Table {
        if self.is_postgresql() {
            return postgresql::table("nodetable", rows, if self.partition_all { self.partitions } else { 0 });
        }
        let create = format!(
            "CREATE TABLE nodetable (\n  id bigint unsigned NOT NULL AUTO_INCREMENT,\n  type int unsigned NOT NULL,\n  \
             version bigint unsigned NOT NULL,\n  time int unsigned NOT NULL,\n  data mediumtext NOT NULL,\n  \
             PRIMARY KEY (id){}\n) {}",
            self.family("cf_node_pk", self.partition_all),
            self.options(false, self.partition_all.then_some("id"))
        );
        Table { name: "nodetable".into(), create, rows, after: Vec::new() }
    }
}
