//! Charset labels: one word for a character set together with its collation, because a benchmark that sets one and
//! leaves the other to the server's default compares two things at once. The labels are those of seed 0.

/// A label and what it stands for on the wire and in DDL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset {
    pub label: &'static str,
    pub character_set: &'static str,
    pub collation: &'static str,
}

pub const ALL: &[Charset] = &[
    Charset { label: "latin1", character_set: "latin1", collation: "latin1_swedish_ci" },
    Charset { label: "utf8mb4-generic", character_set: "utf8mb4", collation: "utf8mb4_general_ci" },
    Charset { label: "utf8mb4-unicode", character_set: "utf8mb4", collation: "utf8mb4_unicode_ci" },
    Charset { label: "utf8mb4-0900", character_set: "utf8mb4", collation: "utf8mb4_0900_ai_ci" },
    Charset { label: "utf8mb4-uca1400", character_set: "utf8mb4", collation: "utf8mb4_uca1400_ai_ci" },
];

/// Just the labels, for a parameter's choices.
pub const LABELS: &[&str] = &["latin1", "utf8mb4-generic", "utf8mb4-unicode", "utf8mb4-0900", "utf8mb4-uca1400"];

pub fn by_label(label: &str) -> Option<Charset> {
    ALL.iter().copied().find(|c| c.label == label)
}

#[cfg(test)]
mod tests {
    #[test]
    fn labels_and_charsets_are_the_same_list() {
        let labels: Vec<_> = super::ALL.iter().map(|c| c.label).collect();
        assert_eq!(labels, super::LABELS);
    }
}
