//! To which transaction each statement of a session belongs. The server's own word (SERVER_STATUS_IN_TRANS in each OK
//! and EOF) decides where there is one; otherwise the statements' first words do.

use crate::sql::effect::{Effect, effect};
use crate::statement::{Place, Transaction};

/// Follows one session.
#[derive(Clone, Debug)]
pub struct Transactions {
    number: u64,
    is_open: bool,
    autocommit: bool,
}

impl Default for Transactions {
    fn default() -> Self {
        Self { number: 0, is_open: false, autocommit: true }
    }
}

impl Transactions {
    /// After an answer that told whether a transaction is open now.
    pub fn by_status(&mut self, sql: Option<&[u8]>, is_open: bool) -> Transaction {
        self.step(sql.map_or(Effect::None, effect), is_open)
    }

    /// After a statement of which only the text is known, and whether it failed.
    pub fn by_text(&mut self, sql: &[u8], failed: bool) -> Transaction {
        let effect = if failed { Effect::None } else { effect(sql) };
        if let Effect::Autocommit(on) = effect {
            self.autocommit = on;
        }
        let is_open = match effect {
            Effect::Begins | Effect::Chains => true,
            Effect::Commits | Effect::RollsBack | Effect::CommitsItself | Effect::Autocommit(true) => false,
            Effect::Rows => self.is_open || !self.autocommit,
            Effect::Autocommit(false) | Effect::None => self.is_open,
        };
        self.step(effect, is_open)
    }

    /// The session's transaction is rolled back: it was reset, changed its user, or ended.
    pub fn reset(&mut self) {
        self.number += u64::from(self.is_open);
        self.is_open = false;
        self.autocommit = true;
    }

    fn step(&mut self, effect: Effect, is_open: bool) -> Transaction {
        // A BEGIN within a transaction commits it, and is the first statement of the next.
        if self.is_open && is_open && effect == Effect::Begins {
            self.number += 1;
            return Transaction { number: self.number, place: Place::Begins };
        }
        let place = match (self.is_open, is_open) {
            (false, true) => Place::Begins,
            (true, true) if effect == Effect::Chains => Place::Commits,
            (true, true) => Place::Inside,
            (true, false) if effect == Effect::RollsBack => Place::RollsBack,
            (true, false) => Place::Commits,
            (false, false) => Place::Alone,
        };
        let number = self.number;
        self.number += u64::from(matches!(place, Place::Alone | Place::Commits | Place::RollsBack));
        self.is_open = is_open;
        Transaction { number, place }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(texts: &[&str]) -> Vec<(u64, Place)> {
        let mut session = Transactions::default();
        let step = |text: &&str| session.by_text(text.as_bytes(), false);
        texts.iter().map(step).map(|t| (t.number, t.place)).collect()
    }

    #[test]
    fn statements_are_gathered_into_transactions_by_their_first_words() {
        use Place::{Alone, Begins, Commits, Inside, RollsBack};
        let seen =
            places(&["SELECT 1", "begin", "/* c */ UPDATE t SET a=1", "COMMIT", "START TRANSACTION", "ROLLBACK"]);
        assert_eq!(seen, [(0, Alone), (1, Begins), (1, Inside), (1, Commits), (2, Begins), (2, RollsBack)]);
        let seen = places(&["SET autocommit=0", "SELECT 1", "ROLLBACK TO SAVEPOINT a", "CREATE TABLE t (a INT)"]);
        assert_eq!(seen, [(0, Alone), (1, Begins), (1, Inside), (1, Commits)]);
        let seen = places(&["BEGIN", "BEGIN", "COMMIT AND CHAIN", "COMMIT"]);
        assert_eq!(seen, [(0, Begins), (1, Begins), (1, Commits), (2, Commits)]);
    }
}
