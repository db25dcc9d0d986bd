//! Counters that some versions still list and no longer move. A zero of theirs would read as "never happened", so they
//! are left out and named as missing. Seen under loads that move them elsewhere; where only the ends of a range of
//! versions were seen, the whole range is left out, because missing is safer than a false zero.

use crate::samplers::Dialect;
use model::host::Version;

struct Dead {
    /// `*` stands for any end.
    name: &'static str,
    mariadb: bool,
    from: Version,
    until: Version,
}

const NEVER: Version = Version(u32::MAX, 0, 0);

const DEAD: &[Dead] = &[
    // Alive in 8.0.12, dead in 8.0.33, 8.0.46, 8.4 and 9.7.
    Dead { name: "innodb.innodb_rwlock_*", mariadb: false, from: Version(8, 0, 13), until: NEVER },
    Dead {
        name: "status.Innodb_buffer_pool_read_requests",
        mariadb: true,
        from: Version(10, 11, 5),
        until: Version(10, 11, 6),
    },
    // Alive in 10.3, dead from 10.5 to 11.8.
    Dead { name: "status.Innodb_dblwr_*", mariadb: true, from: Version(10, 4, 0), until: NEVER },
    Dead { name: "status.Handler_external_lock", mariadb: true, from: Version(0, 0, 0), until: NEVER },
];

/// Whether the metric is one of them on this server. Of a server that is not known, nothing is.
pub(crate) fn is_dead(dialect: Option<Dialect>, name: &str) -> bool {
    let Some(Dialect { mariadb, version }) = dialect else { return false };
    let named = |d: &Dead| d.name.strip_suffix('*').map_or(d.name == name, |start| name.starts_with(start));
    DEAD.iter().any(|d| d.mariadb == mariadb && (d.from..d.until).contains(&version) && named(d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_dead_on_the_versions_where_it_was_seen_not_to_move() {
        let dead = |mariadb, version, name| is_dead(Some(Dialect { mariadb, version }), name);
        assert!(dead(false, Version(8, 0, 33), "innodb.innodb_rwlock_sx_os_waits"));
        assert!(!dead(false, Version(8, 0, 12), "innodb.innodb_rwlock_sx_os_waits"));
        assert!(!dead(true, Version(10, 5, 23), "innodb.innodb_rwlock_sx_os_waits"));
        assert!(dead(true, Version(10, 11, 5), "status.Innodb_buffer_pool_read_requests"));
        assert!(!dead(true, Version(10, 11, 19), "status.Innodb_buffer_pool_read_requests"));
        assert!(!is_dead(None, "innodb.innodb_rwlock_sx_os_waits"));
    }
}
