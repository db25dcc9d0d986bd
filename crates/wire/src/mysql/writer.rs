//! Hot path: the length-encoded forms, written; the mirror of `reader`.

/// Appends `n` in its shortest length-encoded form.
pub fn lenenc(out: &mut Vec<u8>, n: u64) {
    let bytes = n.to_le_bytes();
    match n {
        0..=0xFA => out.push(bytes[0]),
        0xFB..=0xFFFF => {
            out.push(0xFC);
            out.extend_from_slice(&bytes[..2]);
        }
        0x1_0000..=0xFF_FFFF => {
            out.push(0xFD);
            out.extend_from_slice(&bytes[..3]);
        }
        0x100_0000.. => {
            out.push(0xFE);
            out.extend_from_slice(&bytes);
        }
    }
}

pub fn lenenc_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    lenenc(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// `bytes` must hold no zero byte: it would end the string early on the other side.
pub fn nul_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    assert!(!bytes.contains(&0), "a zero-terminated string with a zero inside");
    out.extend_from_slice(bytes);
    out.push(0);
}
