//! Hot path: says one sentence, as text or prepared, with what belongs around it. As text, BEGIN and COMMIT travel in
//! the packet of the statement beside them, so that an operation takes as many round trips as in LinkBench, which
//! begins transactions by being in no autocommit mode; prepared statements go one by one.

use super::statement::{BEGIN, COMMIT, Form, MULTIGET, PREPARE, Sentence, multiget};
use crate::session::{Answer, Class, Fault, Param, Prepared, Sql, Want};

/// A packet grows beyond it for large nodes alone.
const PACKET_BYTES: usize = 1 << 16;

/// What is said in one breath with a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    Nothing,
    Begin,
    Commit,
}

pub(super) struct StatementRunner {
    is_prepared: bool,
    is_hinted: bool,
    form: Form,
    /// By sentence.
    statements: [Option<Prepared>; Sentence::ALL.len()],
    text: Vec<u8>,
}

impl StatementRunner {
    pub fn new(is_prepared: bool, is_hinted: bool) -> Self {
        let (statements, text) = ([None; Sentence::ALL.len()], Vec::with_capacity(PACKET_BYTES));
        Self { is_prepared, is_hinted, form: Form::Plain, statements, text }
    }

    /// In whose SQL this conversation is.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Prepares what will be said; called after every connect.
    pub async fn begin(
        &mut self,
        session: &mut (dyn Sql + '_),
        sentences: impl Iterator<Item = Sentence>,
    ) -> Result<(), Fault> {
        self.form = Form::of(session.dialect(), self.is_hinted);
        self.statements = [None; Sentence::ALL.len()];
        if self.is_prepared {
            for sentence in sentences {
                self.statements[sentence as usize] = Some(session.prepare(PREPARE, sentence.sql(self.form)).await?);
            }
        }
        Ok(())
    }

    pub async fn say(
        &mut self,
        session: &mut (dyn Sql + '_),
        sentence: Sentence,
        params: &[Param<'_>],
        around: Around,
        want: Want,
    ) -> Result<Answer, Fault> {
        let (alone, committing) = sentence.classes();
        if let Some(prepared) = self.statements[sentence as usize] {
            if around == Around::Begin {
                session.query(BEGIN, "BEGIN").await?;
            }
            let answer = session.run(alone, prepared, params, want).await?;
            if around == Around::Commit {
                session.query(COMMIT, "COMMIT").await?;
            }
            return Ok(answer);
        }
        self.text.clear();
        if around == Around::Begin {
            self.text.extend_from_slice(b"BEGIN; ");
        }
        sentence.write(self.form, params, &mut self.text);
        let mut class = alone;
        if around == Around::Commit {
            self.text.extend_from_slice(b"; COMMIT");
            class = committing;
        }
        self.send(session, class, want).await
    }

    /// Adds a link, or shows it again where it was hidden, and begins a transaction with it: affected are 1, 2, or 0
    /// where it was there and visible.
    pub async fn upsert(&mut self, session: &mut (dyn Sql + '_), row: &[Param<'_>]) -> Result<Answer, Fault> {
        let tells_by_a_row = self.form == Form::PostgreSql;
        let want = if tells_by_a_row { Want::Keep } else { Want::Count };
        let answer = self.say(session, Sentence::UpsertLink, row, Around::Begin, want).await?;
        if !tells_by_a_row {
            return Ok(answer);
        }
        let kept = session.kept();
        let told = if kept.rows() == 0 { Some(0) } else { kept.int(0, 0) };
        Ok(Answer { affected: told.and_then(|told| u64::try_from(told).ok()).unwrap_or(u64::MAX), ..answer })
    }

    /// Looks several links up; as in the fork, it is never prepared.
    pub async fn multiget(
        &mut self,
        session: &mut (dyn Sql + '_),
        id1: u64,
        link_type: u64,
        ids: &[u64],
        want: Want,
    ) -> Result<Answer, Fault> {
        multiget(id1, link_type, ids, &mut self.text);
        self.send(session, MULTIGET, want).await
    }

    async fn send(&mut self, session: &mut (dyn Sql + '_), class: Class, want: Want) -> Result<Answer, Fault> {
        let text = std::str::from_utf8(&self.text).expect("statements are ASCII");
        session.say(class, text, want).await
    }
}
