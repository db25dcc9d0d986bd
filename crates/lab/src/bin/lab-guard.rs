//! The guard as a program of its own, for tests that have no assay binary to start a second time.

fn main() -> std::process::ExitCode {
    lab::servers::process::guard::main(std::env::args_os().skip(1))
}
