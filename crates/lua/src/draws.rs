//! Random numbers for scripts: sysbench's distributions, drawn by the generator that all workloads use, from a stream
//! that depends on the seed and the user alone. Unsafe, because Lua calls these functions by FFI with the address of
//! the state's own `Draws`, which lives as long as the state.

use crate::option::{Options, Value};
use model::seed::Seed;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use workload::Parameters;
use workload::draw::{Distribution, Generator};

/// Ranges whose distributions are kept: a script draws from few.
const KEPT: usize = 8;

/// The numbers under which `prelude/rand.lua` names shapes.
const DEFAULT: i32 = 0;
const SHAPES: [&str; 6] = ["default", "uniform", "gaussian", "pareto", "special", "zipfian"];

pub struct Draws {
    generator: Generator,
    parameters: Parameters,
    /// The shape that `--rand-type` names.
    default: i32,
    kept: Vec<(i32, u64, Distribution)>,
    next: usize,
    unique: Arc<Unique>,
}

/// A permutation of all 32-bit numbers, shared by the states of one program: squares modulo a prime near 2^32, twice
/// (Preshing).
#[derive(Debug)]
pub struct Unique {
    place: AtomicU32,
    offset: u32,
}

const PRIME: u64 = 4_294_967_291;

impl Unique {
    pub fn new(seed: Seed) -> Self {
        let first = |name| seed.child(name).0 as u32;
        Self { place: AtomicU32::new(first("place")), offset: first("offset") }
    }

    fn draw(&self) -> u32 {
        let place = permuted(self.place.fetch_add(1, Relaxed));
        permuted(place.wrapping_add(self.offset) ^ 0x5bf0_3635)
    }
}

fn permuted(x: u32) -> u32 {
    let wide = u64::from(x);
    if wide >= PRIME {
        return x;
    }
    let residue = wide * wide % PRIME;
    (if wide <= PRIME / 2 { residue } else { PRIME - residue }) as u32
}

impl Draws {
    pub fn new(seed: Seed, unique: Arc<Unique>) -> Self {
        let mut draws = Self {
            generator: Generator::new(seed),
            parameters: Parameters::new(),
            default: 1,
            kept: Vec::new(),
            next: 0,
            unique,
        };
        draws.tune(&Options::new());
        draws
    }

    pub fn address(&mut self) -> *mut c_void {
        std::ptr::from_mut(self).cast()
    }

    /// Takes the shapes' parameters from the options.
    pub fn tune(&mut self, options: &Options) {
        let number = |name: &str, default: f64| match options.get(name) {
            Some(Value::Number(n)) => *n,
            Some(Value::Bool(_) | Value::Text(_) | Value::List(_) | Value::File) | None => default,
        };
        let parameters = [
            ("special_iter", number("rand_spec_iter", 12.0)),
            ("special_pct", number("rand_spec_pct", 1.0)),
            ("special_res", number("rand_spec_res", 75.0)),
            ("pareto_h", number("rand_pareto_h", 0.2)),
            ("zipfian_exp", number("rand_zipfian_exp", 0.8)),
        ];
        self.parameters = parameters.map(|(name, x)| (name.to_string(), model::value::Value::Real(x))).into();
        if let Some(Value::Text(shape)) = options.get("rand_type") {
            self.default = SHAPES.iter().position(|known| known == shape).unwrap_or(1).max(1) as i32;
        }
        self.kept.clear();
    }

    fn between(&mut self, shape: i32, first: f64, last: f64) -> f64 {
        let shape = if shape == DEFAULT { self.default } else { shape };
        let (first, last) = (first.trunc(), last.trunc());
        let n = (last - first + 1.0).max(1.0) as u64;
        let at = self.kept.iter().position(|(s, of, _)| (*s, *of) == (shape, n));
        let at = at.unwrap_or_else(|| self.keep(shape, n));
        first + (self.kept[at].2.draw(&mut self.generator) - 1) as f64
    }

    fn keep(&mut self, shape: i32, n: u64) -> usize {
        let name = SHAPES[shape as usize].to_string();
        self.parameters.insert("distribution".into(), model::value::Value::Text(name));
        let entry = (shape, n, Distribution::over(n, &self.parameters));
        if self.kept.len() < KEPT {
            self.kept.push(entry);
            return self.kept.len() - 1;
        }
        self.next = (self.next + 1) % KEPT;
        self.kept[self.next] = entry;
        self.next
    }

    fn fill(&mut self, format: &[u8], into: &mut [u8]) {
        for (to, from) in into.iter_mut().zip(format) {
            *to = match from {
                b'#' => b'0' + self.generator.below(10) as u8,
                b'@' => b'a' + self.generator.below(26) as u8,
                other => *other,
            };
        }
    }
}

/// The `Draws` of the state that calls.
///
/// # Safety
/// `draws` is what `Draws::address` gave the state, which alone uses it, on its own thread.
unsafe fn of<'a>(draws: *mut c_void) -> &'a mut Draws {
    unsafe { &mut *draws.cast() }
}

pub(crate) unsafe extern "C" fn between(draws: *mut c_void, shape: i32, first: f64, last: f64) -> f64 {
    unsafe { of(draws) }.between(shape, first, last)
}

pub(crate) unsafe extern "C" fn unit(draws: *mut c_void) -> f64 {
    unsafe { of(draws) }.generator.unit()
}

pub(crate) unsafe extern "C" fn bits(draws: *mut c_void) -> u64 {
    let generator = &mut unsafe { of(draws) }.generator;
    generator.below(1 << 32) << 32 | generator.below(1 << 32)
}

pub(crate) unsafe extern "C" fn unique(draws: *mut c_void) -> f64 {
    f64::from(unsafe { of(draws) }.unique.draw())
}

/// `into` has room for as many bytes as the format has.
pub(crate) unsafe extern "C" fn text(draws: *mut c_void, format: *const u8, length: u64, into: *mut u8) {
    let (format, into) = unsafe {
        (std::slice::from_raw_parts(format, length as usize), std::slice::from_raw_parts_mut(into, length as usize))
    };
    unsafe { of(draws) }.fill(format, into);
}

/// A text of `shortest` to `longest` characters from '0' to 'z'; `into` has room for the longest.
pub(crate) unsafe extern "C" fn various(draws: *mut c_void, into: *mut u8, shortest: u32, longest: u32) -> u32 {
    let generator = &mut unsafe { of(draws) }.generator;
    let length = shortest + generator.below(u64::from(longest - shortest) + 1) as u32;
    let into = unsafe { std::slice::from_raw_parts_mut(into, length as usize) };
    into.fill_with(|| b'0' + generator.below(u64::from(b'z' - b'0') + 1) as u8);
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unique_numbers_do_not_repeat() {
        let unique = Unique::new(Seed(7));
        let drawn: std::collections::BTreeSet<u32> = (0..100_000).map(|_| unique.draw()).collect();
        assert_eq!(drawn.len(), 100_000);
    }

    #[test]
    fn draws_keep_to_their_range_whatever_the_shape() {
        let mut draws = Draws::new(Seed(1), Arc::new(Unique::new(Seed(1))));
        for shape in 0..SHAPES.len() as i32 {
            for (first, last) in [(1.0, 10.0), (5.0, 5.0), (7.9, 9.1), (0.0, 9_007_199_254_740_991.0), (3.0, 1.0)] {
                let drawn = draws.between(shape, first, last);
                assert!(
                    drawn >= first.trunc() && drawn <= last.trunc().max(first),
                    "{shape}: {drawn} of {first}..{last}"
                );
                assert_eq!(drawn, drawn.trunc());
            }
        }
    }
}
