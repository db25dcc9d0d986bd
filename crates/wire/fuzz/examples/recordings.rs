//! Writes the recordings as files into the folder that it is given: the corpus that `scripts/fuzz` starts from.
//!
//! Some targets take their choices from their first bytes, so each recording is also written behind one byte and
//! behind two: libFuzzer finds the other choices faster than it finds how to insert them.

#[path = "../../tests/recorded/mod.rs"]
mod recorded;
#[path = "../seeds.rs"]
mod seeds;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).expect("a folder to write into");
    for (index, seed) in seeds::seeds().iter().enumerate() {
        for (free, prefix) in [&b""[..], b"\xff", b"\xff\xff"].into_iter().enumerate() {
            std::fs::write(format!("{folder}/{index}-{free}"), [prefix, seed.as_slice()].concat())?;
        }
    }
    Ok(())
}
