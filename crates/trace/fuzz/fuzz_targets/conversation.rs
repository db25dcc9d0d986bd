//! libFuzzer's entry to `bodies::conversation`.
#![no_main]

#[allow(dead_code)] // every target uses one body of all
#[path = "../bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::conversation(data));
