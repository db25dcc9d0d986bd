//! The opening conversation: a greeting, and for an account SCRAM in two or three commands, as a machine that is fed
//! replies and writes requests. It runs once per session, so it favours being plain. TLS begins before it, since this
//! protocol cannot ask for it.

use super::{Document, Malformed, Value, Writer, request};
use crate::scram::{Hash, NONCE_BYTES, Scram, ScramError};
use md5::{Digest, Md5};
use std::fmt;

/// OP_MSG came with MongoDB 3.6.
const OLDEST_WIRE: i64 = 6;
/// None of these requests is told apart by its number: each waits for its reply.
const NUMBER: i32 = 0;
/// What speaks to all databases; an account may be kept there.
pub const ADMIN: &str = "admin";

/// Who wants in. It cannot be printed: it holds the password.
#[derive(Clone, Copy)]
pub struct Account<'a> {
    pub user: &'a str,
    /// As it is: characters beyond ASCII are not normalised.
    pub password: &'a str,
    /// The database that knows the account.
    pub source: &'a str,
}

/// What a reply came to; what was appended to `out` is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginStep {
    More,
    /// By which mechanism; `None` without an account.
    Done(Option<Hash>),
    /// The reply says why.
    Denied,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginError {
    Malformed(Malformed),
    /// It knows no OP_MSG.
    TooOld,
    /// The account authenticates in ways that assay does not speak.
    UnknownMechanisms(String),
    /// The server did not prove that it knows the password.
    Impostor,
}

impl From<Malformed> for LoginError {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

impl From<ScramError> for LoginError {
    fn from(error: ScramError) -> Self {
        match error {
            ScramError::Malformed(malformed) => Self::Malformed(malformed),
            ScramError::Impostor => Self::Impostor,
        }
    }
}

impl fmt::Display for LoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(malformed) => malformed.fmt(f),
            Self::TooOld => f.write_str("the server knows no OP_MSG: it must be as MongoDB 3.6 or later"),
            Self::UnknownMechanisms(names) => {
                let [weak, strong] = [Hash::Sha1, Hash::Sha256].map(Hash::mechanism);
                write!(f, "the account authenticates by {names}; assay speaks {strong} and {weak}")
            }
            Self::Impostor => f.write_str("the server does not know the password that it asked for"),
        }
    }
}

impl std::error::Error for LoginError {}

pub struct Login<'a> {
    account: Option<Account<'a>>,
    nonce: [u8; NONCE_BYTES],
    /// Once it has begun: the hash, and whose turn it is.
    scram: Option<(Hash, Scram)>,
    is_answered: bool,
}

impl<'a> Login<'a> {
    /// Appends the greeting. `nonce` must be fresh random bytes.
    pub fn new(account: Option<Account<'a>>, nonce: [u8; NONCE_BYTES], out: &mut Vec<u8>) -> Self {
        request(out, NUMBER, |hello| {
            hello.int32("hello", 1);
            if let Some(Account { user, source, .. }) = account {
                hello.text("saslSupportedMechs", &format!("{source}.{user}"));
            }
            hello.text("$db", ADMIN);
        });
        Self { account, nonce, scram: None, is_answered: false }
    }

    /// Reads one reply and appends the next request to `out`.
    pub fn feed(&mut self, reply: Document<'_>, out: &mut Vec<u8>) -> Result<LoginStep, LoginError> {
        let Some((hash, scram)) = &mut self.scram else { return self.greeted(reply, out) };
        let account = self.account.expect("only an account begins SCRAM");
        if reply.get("ok")?.and_then(Value::whole) != Some(1) {
            return Ok(LoginStep::Denied);
        }
        let Some(Value::Bytes(said)) = reply.get("payload")? else {
            return Err(Malformed("a step of SASL without its payload").into());
        };
        let is_over = reply.get("done")?.and_then(Value::whole) == Some(1);
        let mut answer = String::new();
        match (self.is_answered, scram.is_proven()) {
            (false, _) => {
                let password = password(*hash, account);
                answer = scram.answer(password.as_bytes(), said)?;
                self.is_answered = true;
            }
            (true, false) => scram.prove(said)?,
            (true, true) if !is_over => return Err(Malformed("SASL does not end").into()),
            (true, true) => {}
        }
        if is_over {
            return if scram.is_proven() { Ok(LoginStep::Done(Some(*hash))) } else { Err(LoginError::Impostor) };
        }
        let conversation = reply.get("conversationId")?.and_then(Value::whole).and_then(|id| i32::try_from(id).ok());
        let conversation = conversation.ok_or(Malformed("a step of SASL without its conversation"))?;
        request(out, NUMBER, |next| {
            next.int32("saslContinue", 1);
            next.int32("conversationId", conversation);
            next.bytes("payload", answer.as_bytes());
            next.text("$db", account.source);
        });
        Ok(LoginStep::More)
    }

    fn greeted(&mut self, reply: Document<'_>, out: &mut Vec<u8>) -> Result<LoginStep, LoginError> {
        let newest = reply.get("maxWireVersion")?.and_then(Value::whole);
        if newest.is_none_or(|version| version < OLDEST_WIRE) {
            return Err(LoginError::TooOld);
        }
        let Some(Account { user, source, .. }) = self.account else { return Ok(LoginStep::Done(None)) };
        let hash = offered(reply)?;
        let scram = Scram::new(hash, user, self.nonce);
        request(out, NUMBER, |start: &mut Writer<'_>| {
            start.int32("saslStart", 1);
            start.text("mechanism", hash.mechanism());
            start.bytes("payload", scram.first().as_bytes());
            // Without it an empty message goes back and forth behind the proof.
            let mut options = start.document("options");
            options.boolean("skipEmptyExchange", true);
            options.end();
            start.text("$db", source);
        });
        self.scram = Some((hash, scram));
        Ok(LoginStep::More)
    }
}

/// The strongest that the account has. A server that does not know it says nothing of it, and refuses what follows.
fn offered(reply: Document<'_>) -> Result<Hash, LoginError> {
    let Some(Value::Array(names)) = reply.get("saslSupportedMechs")? else { return Ok(Hash::Sha1) };
    let mut all = Vec::new();
    for name in names.fields() {
        if let (_, Value::Text(name)) = name? {
            all.push(name);
        }
    }
    let found = [Hash::Sha256, Hash::Sha1].into_iter().find(|hash| all.contains(&hash.mechanism()));
    found.ok_or_else(|| LoginError::UnknownMechanisms(all.join(", ")))
}

/// What is salted: under SHA-1 the digest that MongoDB kept before it spoke SCRAM.
fn password(hash: Hash, Account { user, password, .. }: Account<'_>) -> String {
    match hash {
        Hash::Sha1 => format!("{:x}", Md5::digest(format!("{user}:mongo:{password}"))),
        Hash::Sha256 => password.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mongodb::hear;
    use base64ct::{Base64, Encoding};

    const ACCOUNT: Account<'static> = Account { user: "user", password: "pencil", source: "linkdb" };
    /// The exchange in MongoDB's own specification of its logins.
    const NONCE: &str = "fyko+d2lbbFgONRv9qkxdawL";
    const CHALLENGE: &str =
        "r=fyko+d2lbbFgONRv9qkxdawLHo+Vgk7qvUOKUwuWLIWg4l/9SraGMHEE,s=rQ9ZY3MntBeuP3E1TDVC4w==,i=10000";
    const PROOF: &str =
        "c=biws,r=fyko+d2lbbFgONRv9qkxdawLHo+Vgk7qvUOKUwuWLIWg4l/9SraGMHEE,p=MC2T8BvbmWRckDw8oWl5IVghwCY=";
    const SIGNATURE: &str = "v=UMWeI25JD1yNYZRMpZ4VHvhZ9e0=";

    fn bytes(write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut out = Writer::new(&mut bytes);
        write(&mut out);
        out.end();
        bytes
    }

    fn hello(mechanisms: Option<&[&str]>) -> Vec<u8> {
        bytes(|out| {
            out.int32("maxWireVersion", 17);
            if let Some(mechanisms) = mechanisms {
                let mut array = out.array("saslSupportedMechs");
                mechanisms.iter().enumerate().for_each(|(place, name)| array.text(place, name));
                array.end();
            }
            out.double("ok", 1.0);
        })
    }

    fn step(payload: &str, is_done: bool) -> Vec<u8> {
        bytes(|out| {
            out.int32("conversationId", 5);
            out.boolean("done", is_done);
            out.bytes("payload", payload.as_bytes());
            out.double("ok", 1.0);
        })
    }

    /// The login, fed these replies one by one: what it said each time, and how it ended.
    fn said(replies: &[Vec<u8>]) -> (Vec<String>, Result<LoginStep, LoginError>) {
        let mut nonce = [0; NONCE_BYTES];
        Base64::decode(NONCE, &mut nonce).expect("it is base 64");
        let (mut out, mut told) = (Vec::new(), Vec::new());
        let mut login = Login::new(Some(ACCOUNT), nonce, &mut out);
        let mut last = Ok(LoginStep::More);
        for reply in replies {
            told.push(text(&out));
            out.clear();
            last = login.feed(Document::parse(reply).expect("it was just written"), &mut out);
            if last != Ok(LoginStep::More) {
                break;
            }
        }
        (told, last)
    }

    fn text(request: &[u8]) -> String {
        let heard = hear(request).expect("well formed").expect("whole");
        let field = |(name, value): (&str, Value<'_>)| match value {
            Value::Text(text) => format!("{name}={text}"),
            Value::Bytes(bytes) => format!("{name}={}", String::from_utf8_lossy(bytes)),
            Value::Int32(n) => format!("{name}={n}"),
            _ => name.to_string(),
        };
        heard.body.fields().map(|f| field(f.expect("well formed"))).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_exchange_is_that_of_the_specification() {
        let sha1 = hello(Some(&["SCRAM-SHA-1"]));
        let (told, end) = said(&[sha1.clone(), step(CHALLENGE, false), step(SIGNATURE, true)]);
        assert_eq!(
            told,
            [
                "hello=1 saslSupportedMechs=linkdb.user $db=admin".to_string(),
                format!("saslStart=1 mechanism=SCRAM-SHA-1 payload=n,,n=user,r={NONCE} options $db=linkdb"),
                format!("saslContinue=1 conversationId=5 payload={PROOF} $db=linkdb"),
            ]
        );
        assert_eq!(end, Ok(LoginStep::Done(Some(Hash::Sha1))));
        // A server that does not skip the empty exchange is answered with an empty message, once.
        let mut replies = vec![sha1, step(CHALLENGE, false), step(SIGNATURE, false), step("", true)];
        let (told, end) = said(&replies);
        assert_eq!(told[3], "saslContinue=1 conversationId=5 payload= $db=linkdb");
        assert_eq!(end, Ok(LoginStep::Done(Some(Hash::Sha1))));
        replies[3] = step("", false);
        assert_eq!(said(&replies).1, Err(Malformed("SASL does not end").into()));
    }

    #[test]
    fn nobody_is_let_in_by_a_server_that_does_not_know_the_password() {
        let begun = [hello(None), step(CHALLENGE, false)];
        let ends = |last: Vec<u8>| said(&[begun.as_slice(), &[last]].concat()).1;
        assert_eq!(ends(step("v=AAAA", true)), Err(LoginError::Impostor));
        assert!(matches!(ends(step("", true)), Err(LoginError::Malformed(_))));
        assert_eq!(said(&[hello(None), step(CHALLENGE, true)]).1, Err(LoginError::Impostor));
        assert_eq!(ends(bytes(|out| out.double("ok", 0.0))), Ok(LoginStep::Denied));
    }

    #[test]
    fn the_stronger_mechanism_is_taken_and_an_unknown_one_refused() {
        let (told, _) = said(&[hello(Some(&["SCRAM-SHA-1", "SCRAM-SHA-256"])), step("", false)]);
        assert!(told[1].starts_with("saslStart=1 mechanism=SCRAM-SHA-256 "), "{}", told[1]);
        let unknown = said(&[hello(Some(&["PLAIN", "GSSAPI"]))]).1.unwrap_err().to_string();
        assert_eq!(unknown, "the account authenticates by PLAIN, GSSAPI; assay speaks SCRAM-SHA-256 and SCRAM-SHA-1");
        let mut out = Vec::new();
        let mut nobody = Login::new(None, [0; NONCE_BYTES], &mut out);
        assert_eq!(text(&out), "hello=1 $db=admin");
        let reply = hello(None);
        assert_eq!(nobody.feed(Document::parse(&reply).unwrap(), &mut out), Ok(LoginStep::Done(None)));
        let old = bytes(|out| out.int32("maxWireVersion", 5));
        assert_eq!(nobody.feed(Document::parse(&old).unwrap(), &mut out), Err(LoginError::TooOld));
    }
}
