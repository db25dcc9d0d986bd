//! What a plan does, taken from the text of an EXPLAIN: tables in their order, how each is read, by which key and how
//! much of it, what is sorted or kept aside. Estimates, costs and values are left out, so that equal plans of other
//! rows are equal. Texts of MariaDB, MySQL and PostgreSQL and the rows of old EXPLAINs are understood; of two versions
//! that write differently, the words differ, too.

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
    Some(match explain {
        json if json.trim_start().starts_with('{') => of_json(json),
        rows if rows.contains('\t') => of_rows(rows),
        steps => of_steps(steps),
    })
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

/// Accesses that walk a part of an index in its order.
const WALKS: &[&str] = &["ref", "range"];

/// Whether two plans of MySQL's family walk the same indexes by the same steps, and differ only in how many leading
/// columns bound the walk: `ref` by three of them for `range` by four, which an optimiser chooses anew as a list grows.
pub fn differ_in_bounds(one: &str, other: &str) -> bool {
    let (one, other): (Vec<&str>, Vec<&str>) = (one.split(' ').collect(), other.split(' ').collect());
    let columns = |word: &str| word.strip_prefix('[')?.strip_suffix(']').map(|list| format!("{list},"));
    let is_length = |word: &str| word.parse::<u32>().is_ok();
    let may_differ = |a: &str, b: &str| match (columns(a), columns(b)) {
        (Some(a), Some(b)) => a.starts_with(&b) || b.starts_with(&a),
        _ => [a, b].iter().all(|word| WALKS.contains(word)) || [a, b].into_iter().all(is_length),
    };
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| *a == b || may_differ(a, b))
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

/// Characters by which an index of a partition is told from others: PostgreSQL names it by its columns, and cuts the
/// name, of 63 bytes, where the partition's own is long.
const INDEX_NAME: usize = 30;

/// PostgreSQL's steps, a line each.
fn of_steps(text: &str) -> String {
    text.lines().map(|line| without_values(&of_whole_tables(line))).collect::<Vec<_>>().join("; ")
}

/// Other values lie in other partitions: `using t_p3_pkey on t_p3 t_1` is `using t_pkey on t`.
fn of_whole_tables(line: &str) -> String {
    let mut words: Vec<String> = line.split_whitespace().map(String::from).collect();
    let Some(on) = words.iter().position(|word| word == "on") else { return words.join(" ") };
    let [_, part, alias, ..] = &words[on..] else { return words.join(" ") };
    let part = part.clone();
    let whole = alias.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
    let whole = if part.starts_with(alias.as_str()) { alias.clone() } else { whole.to_string() };
    if whole.is_empty() || whole == part || !part.starts_with(&whole) {
        return words.join(" ");
    }
    words.splice(on + 1..=on + 2, [whole.clone()]);
    if let Some(name) = on.checked_sub(1).and_then(|index| words[index].strip_prefix(&part)) {
        words[on - 1] = whole + &name.chars().take(INDEX_NAME).collect::<String>();
    }
    words.join(" ")
}

/// With `?` for each number, text and parameter, and without the type that is written behind a text.
fn without_values(line: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '"');
    let (mut told, mut rest) = (String::new(), line);
    while let Some(c) = rest.chars().next() {
        let starts = !told.ends_with(is_word);
        let length = match c {
            '\'' => quoted(rest),
            '$' | '0'..='9' if starts => {
                rest[1..].find(|c: char| !c.is_ascii_digit() && c != '.').map_or(rest.len(), |end| end + 1)
            }
            _ => 0,
        };
        if length == 0 {
            told.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        told.push('?');
        rest = &rest[length..];
        if let Some(kind) = rest.strip_prefix("::") {
            rest = kind.trim_start_matches(|c: char| is_word(c) || matches!(c, '[' | ']'));
        }
    }
    told
}

/// How long the text in quotes is that begins here; a quote within it is doubled.
fn quoted(text: &str) -> usize {
    let mut end = 1;
    while let Some(at) = text[end..].find('\'') {
        end += at + 1;
        if !text[end..].starts_with('\'') {
            return end;
        }
        end += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{are_one, differ_in_bounds, of};

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
    fn steps_of_postgresql_are_the_same_for_other_values_and_in_other_partitions() {
        let list = |part: u32, value: &str, most: &str, index: &str| {
            format!(
                "Limit\n  ->  Index Only Scan Backward using links_p{part}_{index} on links_p{part} links_1\n        \
                 Index Cond: ((id1 = {value}) AND (\"time\" <= {most}))"
            )
        };
        let named = "id1_link_type_visibility_time_id2_version_data_idx";
        let plan = of(&list(3, "4", "'9223372036854775807'::bigint", named)).unwrap();
        assert_eq!(
            plan,
            "Limit; -> Index Only Scan Backward using links_id1_link_type_visibility_time on links; Index Cond: ((id1 = ?) \
             AND (\"time\" <= ?))"
        );
        assert_eq!(of(&list(12, "$1", "7", &named.replace("data", "dat"))).unwrap(), plan);
        assert_ne!(of(&list(3, "4", "7", "pkey")).unwrap(), plan);
        let one = of("Seq Scan on sbtest1\n  Filter: (k = 'a'::bpchar)").unwrap();
        assert_eq!(one, "Seq Scan on sbtest1; Filter: (k = ?)");
        for text in ["''", "'it''s'", "'a''"] {
            assert_eq!(of(&format!("Filter: (k = {text})")).unwrap().replace(')', ""), "Filter: (k = ?", "{text}");
        }
    }

    #[test]
    fn a_lookup_that_finds_no_row_is_the_plan_of_one_that_does() {
        let lookup = "linktable const PRIMARY 24 [link_type,id1,id2]";
        let nothing = of(r#"{"table": {"message": "Impossible WHERE noticed after reading const tables"}}"#).unwrap();
        assert!(are_one(lookup, &nothing) && are_one(&nothing, lookup) && are_one(lookup, lookup));
        assert!(!are_one("linktable range PRIMARY 24 [link_type,id1,id2]", &nothing));
        assert!(!are_one(lookup, "ImpossibleWHERE"), "nothing was looked up");
    }

    #[test]
    fn a_walk_of_one_index_may_be_bounded_by_more_or_less_of_its_key() {
        let range = "links partitions:1 range id1_type 25 [id1,type,time] +using_index";
        let walk =
            |access: &str, key: &str, by: &str| format!("links partitions:1 {access} {key} 17 {by} +using_index");
        let by_less = walk("ref", "id1_type", "[id1,type]");
        assert!(differ_in_bounds(range, &by_less) && differ_in_bounds(&by_less, range) && !are_one(range, &by_less));
        for other in [
            walk("ref", "id1", "[id1,type]"),
            walk("index", "id1_type", "[id1,type]"),
            walk("ref", "id1_type", "[id1,ty]"),
            walk("ref", "id1_type", "[type]"),
            by_less.replace("partitions:1", "partitions:2"),
            format!("{by_less} +filesort"),
        ] {
            assert!(!differ_in_bounds(range, &other), "{other}");
        }
        assert!(differ_in_bounds("t range k [a,b] 8", "t ref k [a] 4"), "MySQL says the length last");
    }
}
