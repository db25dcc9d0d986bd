//! Hot path: what a user wants next: a batch of gets and sets with their keys drawn, in buffers that are used again.
//! Every endpoint is given the same wishes; each says them in its own way.

use super::sizes::Sizes;
use super::{knobs, value};
use crate::Parameters;
use crate::draw::{Distribution, Generator};
use model::seed::Seed;

pub struct Work {
    distribution: Distribution,
    generator: Generator,
    keys_per_get: usize,
    depth: usize,
    set_share: f64,
    verify_every: u64,
    pub sizes: Sizes,
    user: u32,
    gets: u64,
    sets: u32,
    pub wishes: Vec<Wish>,
    keys: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Gets of the keys that lie there; `verified`: what comes back is compared.
    Get {
        from: usize,
        to: usize,
        verified: bool,
    },
    Set {
        key: u64,
        stamp: u64,
    },
}

impl Work {
    pub fn of(parameters: &Parameters, seed: Seed, user: u32) -> Self {
        let count = |name| knobs::count(parameters, name);
        let or = |name, otherwise| if parameters.contains_key(name) { count(name) } else { otherwise };
        let set_percent = parameters.get("set_percent").and_then(model::value::Value::number).unwrap_or(0.0);
        let (depth, keys_per_get) = (or("depth", 1) as usize, count("keys_per_get") as usize);
        Self {
            distribution: Distribution::over(count("keys"), parameters),
            generator: Generator::new(seed),
            keys_per_get,
            depth,
            set_share: set_percent / 100.0,
            verify_every: count("verify_every"),
            sizes: Sizes::of(parameters),
            user,
            gets: 0,
            sets: 0,
            wishes: Vec::with_capacity(depth),
            keys: Vec::with_capacity(depth * keys_per_get),
        }
    }

    /// Draws the next batch.
    #[inline]
    pub fn draw(&mut self) {
        self.wishes.clear();
        self.keys.clear();
        for _ in 0..self.depth {
            let wish = if self.set_share > 0.0 && self.generator.unit() < self.set_share {
                self.sets = self.sets.wrapping_add(1);
                let stamp = value::stamp(self.user, self.sets);
                Wish::Set { key: self.distribution.draw(&mut self.generator), stamp }
            } else {
                let from = self.keys.len();
                for _ in 0..self.keys_per_get {
                    self.keys.push(self.distribution.draw(&mut self.generator));
                }
                self.gets += 1;
                Wish::Get { from, to: self.keys.len(), verified: self.gets.is_multiple_of(self.verify_every) }
            };
            self.wishes.push(wish);
        }
    }

    /// Keys of one get, outside of any batch.
    pub fn draw_keys(&mut self) -> Vec<u64> {
        (0..self.keys_per_get).map(|_| self.distribution.draw(&mut self.generator)).collect()
    }

    #[inline]
    pub fn keys(&self, from: usize, to: usize) -> &[u64] {
        &self.keys[from..to]
    }

    pub fn keys_per_get(&self) -> usize {
        self.keys_per_get
    }

    pub fn writes(&self) -> bool {
        self.set_share > 0.0
    }

    /// Keys that the batch asks for.
    #[inline]
    pub fn asked(&self) -> u64 {
        self.keys.len() as u64
    }
}
