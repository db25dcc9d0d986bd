//! Hot path: what passed in a session, as bytes with their moments. The session's thread writes down and understands
//! nothing, so that the way of a statement is as short as a proxy's can be; the writer's thread reads many statements
//! in a row, and its code and data stay in the cache.

use model::Nanos;

#[derive(Default)]
pub struct Overheard {
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
}

struct Piece {
    at: Nanos,
    is_clients: bool,
    long: usize,
}

impl Overheard {
    #[inline]
    pub fn hear(&mut self, at: Nanos, is_clients: bool, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.pieces.push(Piece { at, is_clients, long: bytes.len() });
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// From its first piece to its last.
    pub fn length(&self) -> Nanos {
        let ends = self.pieces.first().zip(self.pieces.last());
        ends.map_or(Nanos(0), |(first, last)| Nanos(last.at.0.saturating_sub(first.at.0)))
    }

    /// What it takes in memory.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.pieces.len() * size_of::<Piece>()
    }

    /// Its pieces: when, whether the client said them, and what they are.
    pub fn pieces(&self) -> impl Iterator<Item = (Nanos, bool, &[u8])> {
        let mut rest = &self.bytes[..];
        self.pieces.iter().map(move |piece| {
            let (bytes, after) = rest.split_at(piece.long);
            rest = after;
            (piece.at, piece.is_clients, bytes)
        })
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.pieces.clear();
    }
}
