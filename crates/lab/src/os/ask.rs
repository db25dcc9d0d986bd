//! Asks a program that answers and ends: its version, its libraries, an archive unpacked. Such a program waits for
//! nobody, so one that does not come to its end within its bound is ended and told, instead of holding the lab.

use super::waits;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// To say a version takes milliseconds, and seconds from a disk that sleeps.
pub const ANSWER: Duration = Duration::from_secs(30);
/// To unpack the largest archive of the catalogue takes a minute on a slow disk.
pub const UNPACKING: Duration = Duration::from_secs(1800);
/// How often it is looked whether a program has ended: short beside its start.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// What it said until its end; `what` it does is said when it takes long.
pub fn output(command: &mut Command, what: &str, at_most: Duration) -> io::Result<Output> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (out, err) = (child.stdout.take().map(reading), child.stderr.take().map(reading));
    let status = waits::during(what, at_most, || ended(&mut child, at_most));
    let text = |thread: Option<JoinHandle<Vec<u8>>>| thread.and_then(|t| t.join().ok()).unwrap_or_default();
    let status = status?;
    Ok(Output { status, stdout: text(out), stderr: text(err) })
}

/// How it ended; after its bound it is killed, and an error says so.
pub fn ended(child: &mut Child, at_most: Duration) -> io::Result<ExitStatus> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if begun.elapsed() > at_most {
            let _ = child.kill();
            let _ = child.wait();
            let text = format!("it did not end within {} s and was killed", at_most.as_secs_f64());
            return Err(io::Error::new(io::ErrorKind::TimedOut, text));
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

fn reading(mut from: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        // What came until an error is what there is.
        let _ = from.read_to_end(&mut text);
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_heard_to_its_end_and_one_without_end_is_killed() {
        let said =
            output(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"]), "a shell", ANSWER).unwrap();
        assert_eq!((said.status.code(), &said.stdout[..], &said.stderr[..]), (Some(3), &b"out\n"[..], &b"err\n"[..]));
        let silent = output(Command::new("sleep").arg("1000"), "a sleep", Duration::from_millis(20)).unwrap_err();
        assert_eq!(silent.kind(), io::ErrorKind::TimedOut);
        assert!(silent.to_string().contains("was killed"), "{silent}");
    }
}
