//! A logical dump as single statements, read as it streams: what stands between two delimiters, outside of quotes and
//! comments. `DELIMITER` is the client's word for another one, as dumps of triggers and routines use it. Bytes are
//! passed on as they are; which character set they are in, a dump says itself.

use std::io::{self, BufRead};

pub struct Statements<R> {
    from: R,
    delimiter: Vec<u8>,
    /// Read, and no whole statement yet; and how far it was looked through.
    held: Vec<u8>,
    at: usize,
    state: State,
    is_over: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Plain,
    Quoted(u8),
    Line,
    Block,
}

impl<R: BufRead> Statements<R> {
    pub fn new(from: R) -> Self {
        let (held, delimiter) = (Vec::new(), b";".to_vec());
        Self { from, delimiter, held, at: 0, state: State::Plain, is_over: false }
    }

    /// A line of the client's own, at the beginning of a statement.
    fn command(&mut self) -> bool {
        let begin = self.held.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(self.held.len());
        let line = &self.held[begin..];
        let Some(word) = line.get(..10).filter(|word| word.eq_ignore_ascii_case(b"delimiter ")) else { return false };
        let new: Vec<u8> = line[word.len()..].trim_ascii().to_vec();
        if !new.is_empty() {
            self.delimiter = new;
        }
        self.forget(self.held.len());
        true
    }

    fn forget(&mut self, bytes: usize) -> Vec<u8> {
        (self.at, self.state) = (0, State::Plain);
        let rest = self.held.split_off(bytes);
        std::mem::replace(&mut self.held, rest)
    }

    /// Looks on; the end of a statement, if one was found.
    fn look(&mut self) -> Option<usize> {
        while let Some(byte) = self.held.get(self.at).copied() {
            let rest = &self.held[self.at..];
            let (next, long) = match self.state {
                State::Plain if rest.starts_with(&self.delimiter) => return Some(self.at),
                State::Plain => match byte {
                    b'\'' | b'"' | b'`' => (State::Quoted(byte), 1),
                    b'#' => (State::Line, 1),
                    b'-' if rest.starts_with(b"--") && rest.get(2).is_none_or(u8::is_ascii_whitespace) => {
                        (State::Line, 2)
                    }
                    b'/' if rest.starts_with(b"/*") => (State::Block, 2),
                    _ => (State::Plain, 1),
                },
                State::Quoted(b'`') | State::Quoted(_) if byte == b'\\' && self.state != State::Quoted(b'`') => {
                    (self.state, 2)
                }
                State::Quoted(quote) if byte == quote => (State::Plain, 1),
                State::Line if byte == b'\n' => (State::Plain, 1),
                State::Block if rest.starts_with(b"*/") => (State::Plain, 2),
                State::Quoted(_) | State::Line | State::Block => (self.state, 1),
            };
            (self.state, self.at) = (next, self.at + long);
        }
        None
    }
}

impl<R: BufRead> Iterator for Statements<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(end) = self.look() {
                let mut statement = self.forget(end + self.delimiter.len());
                statement.truncate(end);
                if is_something(&statement) {
                    return Some(Ok(statement));
                }
                continue;
            }
            if self.is_over {
                let rest = self.forget(self.held.len());
                return is_something(&rest).then_some(Ok(rest));
            }
            let is_fresh = self.held.iter().all(u8::is_ascii_whitespace);
            match self.from.read_until(b'\n', &mut self.held) {
                Ok(0) => self.is_over = true,
                Ok(_) if is_fresh && self.command() => {}
                Ok(_) => {}
                Err(error) => {
                    self.is_over = true;
                    return Some(Err(error));
                }
            }
        }
    }
}

/// More than blanks and comments that nobody executes.
fn is_something(statement: &[u8]) -> bool {
    trace::sql::tokens(statement, trace::sql::Dialect::default()).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_at_the_delimiter_and_not_within_quotes_or_comments() {
        let dump = "-- a dump; of tables\n/*!40101 SET NAMES utf8mb4 */;\nINSERT INTO t VALUES ('a;\\'b', \"c;\");\n\
                    # nothing;\n/* nor; this */;\nDELIMITER ;;\nCREATE TRIGGER x BEGIN SET @a = 1; END ;;\ndelimiter ;\n\
                    SELECT `a;b`; SELECT 2";
        let all: Vec<String> = Statements::new(dump.as_bytes())
            .map(|statement| String::from_utf8(statement.unwrap()).unwrap().trim().to_string())
            .collect();
        assert_eq!(
            all.iter().map(|s| s.lines().last().unwrap()).collect::<Vec<_>>(),
            [
                "/*!40101 SET NAMES utf8mb4 */",
                "INSERT INTO t VALUES ('a;\\'b', \"c;\")",
                "CREATE TRIGGER x BEGIN SET @a = 1; END",
                "SELECT `a;b`",
                "SELECT 2",
            ]
        );
    }
}
