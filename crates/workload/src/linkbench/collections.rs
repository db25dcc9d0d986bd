//! The graph as collections of documents: their fields, keys and indexes. What is loaded and what users say both follow
//! from these.

use crate::dataset::{Collection, FieldKind};

pub(super) const LINKS: &str = "linktable";
pub(super) const COUNTS: &str = "counttable";
pub(super) const NODES: &str = "nodetable";

/// Fields in the order of the columns of `data`.
pub(super) const COLLECTIONS: &[Collection] = &[
    Collection {
        name: LINKS,
        fields: &[
            ("id1", FieldKind::Int64),
            ("id2", FieldKind::Int64),
            ("link_type", FieldKind::Int64),
            ("visibility", FieldKind::Int32),
            ("data", FieldKind::Bytes),
            ("time", FieldKind::Int64),
            ("version", FieldKind::Int32),
        ],
        id: &[2, 0, 1],
        indexes: &[&["id1", "link_type", "visibility", "time", "id2", "version", "data"]],
    },
    Collection {
        name: COUNTS,
        fields: &[
            ("id", FieldKind::Int64),
            ("link_type", FieldKind::Int64),
            ("count", FieldKind::Int64),
            ("time", FieldKind::Int64),
            ("version", FieldKind::Int64),
        ],
        id: &[0, 1],
        indexes: &[],
    },
    Collection {
        name: NODES,
        fields: &[
            ("_id", FieldKind::Int64),
            ("type", FieldKind::Int32),
            ("version", FieldKind::Int64),
            ("time", FieldKind::Int32),
            ("data", FieldKind::Bytes),
        ],
        id: &[],
        indexes: &[],
    },
];
