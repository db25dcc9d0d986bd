//! Blocks, the pieces of a trace's file: each by itself readable, checked, and of a bounded size.
//!
//! `MAGIC` · length of what follows the head, packed (u32 LE) · its length unpacked (u32) · items (u32) · XXH3 of
//! these three and of the packed bytes (u64) · the packed bytes, one frame of zstd. A file that was torn ends within a
//! block; a file that was damaged has a block whose sum is wrong: the reader looks for the next `MAGIC` and says what
//! is missing.

use xxhash_rust::xxh3::Xxh3;

pub const FILE_MAGIC: &[u8; 12] = b"assay-trace\n";
/// The file's magic and its version (u32 LE).
pub const FILE_HEAD: usize = 16;
/// Not UTF-8, so that no statement's text looks like it; zstd's output may, and then the sum says no.
pub const MAGIC: [u8; 4] = [0xF5, 0xA7, 0x8B, 0xC1];
pub const HEAD_BYTES: usize = 24;
/// A block is closed when it holds so much: small enough to lose, large enough that packing it is worth while.
pub const TARGET: usize = 256 << 10;
/// The largest text or value that is written; one that is longer is a `Lost`. MySQL's largest default of
/// max_allowed_packet is 64 MiB, and memory of a reader is this and no more.
pub const MAX_BYTES: usize = 64 << 20;
/// No block is larger than a full one and one item: lengths beyond are damage and allocate nothing.
pub const MAX_UNPACKED: usize = TARGET + 2 * MAX_BYTES;
/// The fastest level: packing must keep up with a busy server beside it.
const LEVEL: i32 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHead {
    pub packed: u32,
    pub unpacked: u32,
    pub items: u32,
    pub sum: u64,
}

impl BlockHead {
    /// `None`: these bytes open no block.
    pub fn read(bytes: &[u8; HEAD_BYTES]) -> Option<Self> {
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let sum = u64::from_le_bytes(bytes[16..24].try_into().expect("eight bytes"));
        let head = Self { packed: u32_at(4), unpacked: u32_at(8), items: u32_at(12), sum };
        let most = zstd::zstd_safe::compress_bound(head.unpacked as usize);
        let fits = head.unpacked as usize <= MAX_UNPACKED && head.packed as usize <= most;
        (bytes[..4] == MAGIC && fits).then_some(head)
    }

    /// The sum that the block's packed bytes must have.
    fn sum(&self, packed: &[u8]) -> u64 {
        let mut sum = Xxh3::new();
        [self.packed, self.unpacked, self.items].iter().for_each(|n| sum.update(&n.to_le_bytes()));
        sum.update(packed);
        sum.digest()
    }

    /// What the block holds; `None` where its sum or its length is wrong.
    pub fn unpack(&self, packed: &[u8]) -> Option<Vec<u8>> {
        if self.sum(packed) != self.sum {
            return None;
        }
        let unpacked = zstd::bulk::decompress(packed, self.unpacked as usize).ok()?;
        (unpacked.len() == self.unpacked as usize).then_some(unpacked)
    }
}

/// The file's first bytes.
pub fn file_head(version: u32) -> [u8; FILE_HEAD] {
    let mut head = [0; FILE_HEAD];
    head[..12].copy_from_slice(FILE_MAGIC);
    head[12..].copy_from_slice(&version.to_le_bytes());
    head
}

/// Appends a block that holds `body`.
pub fn pack(packer: &mut zstd::bulk::Compressor<'_>, body: &[u8], items: u32) -> std::io::Result<Vec<u8>> {
    let packed = packer.compress(body)?;
    let mut head = BlockHead { packed: packed.len() as u32, unpacked: body.len() as u32, items, sum: 0 };
    head.sum = head.sum(&packed);
    let mut out = Vec::with_capacity(HEAD_BYTES + packed.len());
    out.extend_from_slice(&MAGIC);
    [head.packed, head.unpacked, head.items].iter().for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
    out.extend_from_slice(&head.sum.to_le_bytes());
    out.extend_from_slice(&packed);
    Ok(out)
}

pub fn packer() -> std::io::Result<zstd::bulk::Compressor<'static>> {
    zstd::bulk::Compressor::new(LEVEL)
}
