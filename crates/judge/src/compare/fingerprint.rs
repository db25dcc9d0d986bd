//! What a plan does, taken from the text of an EXPLAIN: tables in their order, how each is read, by which key and how
//! much of it, what is sorted or kept aside. Estimates, costs and values are left out, so that equal plans of other
//! rows are equal. Texts of MariaDB and MySQL and the rows of old EXPLAINs are understood; of two versions that write
//! differently, the words differ, too.

/// Keys whose value is part of what is done; of others only that they are there, where they name a step.
const VALUES: &[&str] = &["table_name", "access_type", "key", "key_length", "used_key_parts", "message", "partitions"];
const STEPS: &[&str] = &[
    "filesort",
    "using_filesort",
    "temporary_table",
    "using_temporary_table",
    "using_index",
    "using_index_condition",
    "index_condition",
    "pushed_index_condition",
    "duplicate_removal",
    "duplicates_removal",
    "read_sorted_file",
    "mrr_type",
    "block-nl-join",
    "using_join_buffer",
    "materialized",
    "union_result",
];

/// Columns of a row of EXPLAIN that are estimates: of ten columns `rows`, of twelve `filtered`, too.
const OLD_ROWS: &[(usize, &[usize])] = &[(10, &[8]), (12, &[9, 10])];

/// `None` for a text that explains nothing.
pub fn of(explain: &str) -> Option<String> {
    if explain.is_empty() || explain.starts_with("not explained") {
        return None;
    }
    Some(if explain.trim_start().starts_with('{') { of_json(explain) } else { of_rows(explain) })
}

/// What servers say instead of a plan when they have looked a row up by a whole key, and there is none.
const FOUND_NOTHING: &[&str] = &["ImpossibleWHEREnoticedafterreadingconsttables", "nomatchingrowinconsttable"];

/// Whether two fingerprints are of one plan: the same, or a lookup of one row that was there once and not the other
/// time.
pub fn are_one(one: &str, other: &str) -> bool {
    let is_lookup = |plan: &str| plan.split(' ').any(|word| word == "const");
    let found_nothing = |plan: &str| FOUND_NOTHING.contains(&plan);
    one == other || (is_lookup(one) && found_nothing(other)) || (found_nothing(one) && is_lookup(other))
}

fn of_json(text: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some((key, after)) = string(rest) {
        rest = after;
        let Some(value) = after.trim_start().strip_prefix(':').map(str::trim_start) else { continue };
        if VALUES.contains(&key) {
            let end =
                if value.starts_with('[') { value.find(']').map_or(value.len(), |at| at + 1) } else { scalar(value) };
            let text = value[..end].split_whitespace().collect::<String>().replace('"', "");
            // Other values lie in other partitions; what differs is in how many.
            let partitions = || format!("partitions:{}", text.split(',').count());
            parts.push(if key == "partitions" { partitions() } else { text });
            rest = &value[end..];
        } else if STEPS.contains(&key) && !value.starts_with("false") {
            parts.push(format!("+{key}"));
        } else if value.starts_with('"') {
            // Its words are no keys.
            rest = string(value).map_or("", |(_, after)| after);
        }
    }
    parts.join(" ")
}

/// The next text in quotes, and what follows it.
fn string(text: &str) -> Option<(&str, &str)> {
    let begin = text.find('"')? + 1;
    let mut escaped = false;
    for (at, c) in text[begin..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some((&text[begin..begin + at], &text[begin + at + 1..])),
            _ => {}
        }
    }
    None
}

/// How long a value without parts is.
fn scalar(value: &str) -> usize {
    match string(value).filter(|_| value.starts_with('"')) {
        Some((_, after)) => value.len() - after.len(),
        None => value.find([',', '\n', '}']).unwrap_or(value.len()),
    }
}

fn of_rows(text: &str) -> String {
    let line = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let estimates = OLD_ROWS.iter().find(|(width, _)| *width == cells.len()).map_or(&[][..], |(_, at)| at);
        let kept = cells.iter().enumerate().filter(|(at, _)| !estimates.contains(at));
        kept.map(|(_, cell)| *cell).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::{are_one, of};

    const MARIADB: &str = r#"{"query_block": {"select_id": 1, "filesort": {"sort_key": "t.c", "table": {
        "table_name": "sbtest1", "access_type": "range", "possible_keys": ["PRIMARY"], "key": "PRIMARY", "key_length": "4",
        "used_key_parts": ["id"], "rows": 100, "filtered": 100, "attached_condition": "t.c = 'the \"key\": is'"}}}}"#;

    #[test]
    fn a_plan_is_what_it_does_and_not_what_it_expects() {
        let plan = of(MARIADB).unwrap();
        assert_eq!(plan, "+filesort sbtest1 range PRIMARY 4 [id]");
        assert_eq!(of(&MARIADB.replace("\"rows\": 100", "\"rows\": 7")).unwrap(), plan);
        assert_ne!(of(&MARIADB.replace("\"key\": \"PRIMARY\"", "\"key\": \"k_1\"")).unwrap(), plan);
        let optimized = r#"{"query_block": {"select_id": 1, "table": {"message": "Select tables optimized away"}}}"#;
        assert_eq!(of(optimized).unwrap(), "Selecttablesoptimizedaway");
        let partitioned =
            |parts: &str| MARIADB.replace("\"access_type\"", &format!("\"partitions\": [{parts}], \"access_type\""));
        assert_eq!(of(&partitioned("\"p1\"")), of(&partitioned("\"p7\"")));
        assert_ne!(of(&partitioned("\"p1\"")), of(&partitioned("\"p0\", \"p1\"")));
        let row = "1\tSIMPLE\tsbtest1\tconst\tPRIMARY\tPRIMARY\t4\tconst\t1\tUsing index";
        assert_eq!(of(row), of(&row.replace("\t1\tUsing", "\t900\tUsing")));
        assert_eq!(of("not explained by this server: 1064"), None);
    }

    #[test]
    fn a_lookup_that_finds_no_row_is_the_plan_of_one_that_does() {
        let lookup = "linktable const PRIMARY 24 [link_type,id1,id2]";
        let nothing = of(r#"{"table": {"message": "Impossible WHERE noticed after reading const tables"}}"#).unwrap();
        assert!(are_one(lookup, &nothing) && are_one(&nothing, lookup) && are_one(lookup, lookup));
        assert!(!are_one("linktable range PRIMARY 24 [link_type,id1,id2]", &nothing));
        assert!(!are_one(lookup, "ImpossibleWHERE"), "nothing was looked up");
    }
}
