//! Hot path: executions behind each other. Each ends in a Sync of its own, so that each is a transaction of its own and
//! a refusal ends no other. All leave in one send; their answers are read in their order, where they arrived.

use super::opening::{Behind, Conversation, Waiting};
use super::{Doing, Session, convert};
use crate::backends::sql::{Conversing, Pending};
use crate::load::ledger::Ledger;
use std::task::{Context, Poll, ready};
use wire::postgres::ask;
use workload::session::{Answer, Class, Fault, Param, Pipeline, Prepared, Sql, Want};

impl<L: Ledger> Pipeline for Session<L> {
    #[inline]
    fn add(&mut self, class: Class, statement: Prepared, params: &[Param<'_>], want: Want) {
        let conversation = &mut self.conversation;
        if conversation.behind.waiting.is_empty() {
            self.now.started = conversation.channel.moment();
            self.now.pieces = 0;
        }
        let columns =
            conversation.statements[statement.0 as usize].expect("a statement is executed before it is closed");
        ask::execute(conversation.channel.outgoing(), statement.0, params.iter().map(convert));
        conversation.behind.waiting.push_back(Waiting { class, want, columns });
        self.ledger.asked();
    }

    #[inline]
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, Fault>> {
        let there = if self.conversation.behind.is_read { None } else { self.turn() };
        let answer = match there {
            Some(answer) => answer,
            None => ready!(self.poll_answer(cx)),
        };
        let behind = &mut self.conversation.behind;
        behind.is_read = false;
        behind.waiting.pop_front();
        if answer.as_ref().is_err_and(|fault| !fault.session_survives()) {
            behind.waiting.clear();
        }
        Poll::Ready(answer)
    }
}

impl<L: Ledger> Session<L> {
    /// To the next answer, which may have come with the one before.
    fn turn(&mut self) -> Option<Result<Answer, Fault>> {
        let Behind { waiting, is_read } = &mut self.conversation.behind;
        let Waiting { class, want, columns } = waiting.front().expect("an answer for each execution");
        let (class, want, columns) = (*class, *want, *columns);
        *is_read = true;
        let Pending { started, pieces, .. } = self.now;
        self.now = Pending { class, want, skip: want.first_kept().unwrap_or(0), started, pieces, asked: Doing::Query };
        if want.first_kept().is_some() {
            self.kept.clear(usize::from(columns));
        }
        self.conversation.reply.begin();
        if pieces == 0 {
            return None;
        }
        let read = <Conversation as Conversing>::read(self)?;
        Some(read.map_err(|fault| self.failed(fault)))
    }
}
