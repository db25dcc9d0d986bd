//! The fuzz targets on a stable compiler: the same bodies, fed with mutated recordings. The dice are fixed, so a
//! failure repeats; what libFuzzer finds beyond this belongs into `fixtures/` as a recording of its own.

#[path = "../fuzz/bodies.rs"]
mod bodies;
mod recorded;
#[path = "../fuzz/seeds.rs"]
mod seeds;

use recorded::Dice;
use seeds::seeds;

/// For each of the bodies; all together end within seconds in a debug build.
const MUTATIONS: usize = 200_000;

fn mutate(dice: &mut Dice, seeds: &[Vec<u8>]) -> Vec<u8> {
    // A few free bytes in front: some bodies take their choices from there.
    let mut bytes: Vec<u8> = (0..dice.below(4)).map(|_| dice.next() as u8).collect();
    bytes.extend_from_slice(&seeds[dice.below(seeds.len())]);
    for _ in 0..dice.below(5) {
        let at = dice.below(bytes.len().max(1));
        match dice.below(6) {
            _ if bytes.is_empty() => {}
            0 => bytes[at] ^= 1 << dice.below(8),
            1 => bytes[at] = [0, 1, 0x7F, 0x80, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF][dice.below(10)],
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..(at + dice.below(9)).min(bytes.len()))),
            4 => bytes.insert(at, dice.next() as u8),
            _ => {
                let other = &seeds[dice.below(seeds.len())];
                bytes.truncate(at);
                bytes.extend_from_slice(&other[dice.below(other.len().max(1)).min(other.len())..]);
            }
        }
    }
    bytes
}

#[test]
fn no_mutation_of_a_recording_makes_a_parser_panic() {
    let seeds = seeds();
    let mut dice = Dice(3);
    for (name, body) in bodies::ALL {
        for round in 0..MUTATIONS {
            let bytes = mutate(&mut dice, &seeds);
            let outcome = std::panic::catch_unwind(|| body(&bytes));
            assert!(outcome.is_ok(), "{name}, round {round}: {}", bytes.escape_ascii());
        }
    }
}

#[test]
fn every_fuzz_target_has_its_binary() {
    let manifest = include_str!("../fuzz/Cargo.toml");
    assert_eq!(manifest.matches("[[bin]]").count(), bodies::ALL.len());
    for (name, _) in bodies::ALL {
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
}
