//! Unpredictable bytes, of the kernel: what a login seals a password with, or by which it knows that an answer is not
//! an old one.

use workload::session::Fault;

pub fn random<const N: usize>() -> Result<[u8; N], Fault> {
    let mut bytes = [0; N];
    let got = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    if got == Ok(N) { Ok(bytes) } else { Err(Fault::Lost("the kernel gives no random bytes".into())) }
}
