//! Stacks as pprof reads them: the message `Profile` of its `profile.proto`, written by hand, since it is five messages
//! of numbers. Plain, not packed: `go tool pprof` and its like take both.

use model::Nanos;
use model::functions::Spent;
use std::collections::BTreeMap;

/// Numbers of fields in `profile.proto`.
mod field {
    pub const SAMPLE_TYPE: u32 = 1;
    pub const SAMPLE: u32 = 2;
    pub const LOCATION: u32 = 4;
    pub const FUNCTION: u32 = 5;
    pub const STRING: u32 = 6;
    pub const PERIOD_TYPE: u32 = 11;
    pub const PERIOD: u32 = 12;
}

/// A profile of these stacks (the outermost frame first), each with its samples, of which one stands for `period`.
pub fn pprof<'a>(stacks: impl Iterator<Item = (&'a [String], u64)>, spent: Spent, period: Nanos) -> Vec<u8> {
    let mut strings = Strings::default();
    strings.number("");
    let mut profile = Message::default();
    let kind = match spent {
        Spent::OnCpu => "cpu",
        Spent::Waiting => "wait",
    };
    for (kind, unit) in [("samples", "count"), (kind, "nanoseconds")] {
        profile.message(field::SAMPLE_TYPE, value_type(&mut strings, kind, unit));
    }
    let mut functions: BTreeMap<&str, u64> = BTreeMap::new();
    for (frames, samples) in stacks {
        let mut locations = Vec::new();
        for name in frames.iter().rev() {
            let next = functions.len() as u64 + 1;
            locations.push(*functions.entry(name).or_insert(next));
        }
        let mut sample = Message::default();
        sample.packed(1, &locations);
        sample.packed(2, &[samples, samples * period.0]);
        profile.message(field::SAMPLE, sample);
    }
    // A location is a function here: addresses of runs mean nothing beside each other.
    for (name, number) in &functions {
        let mut line = Message::default();
        line.number(1, *number);
        let mut location = Message::default();
        location.number(1, *number);
        location.message(4, line);
        profile.message(field::LOCATION, location);
        let mut function = Message::default();
        let name = strings.number(name);
        function.number(1, *number);
        function.number(2, name);
        function.number(3, name);
        profile.message(field::FUNCTION, function);
    }
    let kind = value_type(&mut strings, kind, "nanoseconds");
    profile.message(field::PERIOD_TYPE, kind);
    profile.number(field::PERIOD, period.0);
    strings.in_order().iter().for_each(|text| profile.bytes(field::STRING, text.as_bytes()));
    profile.0
}

fn value_type(strings: &mut Strings, kind: &str, unit: &str) -> Message {
    let mut message = Message::default();
    message.number(1, strings.number(kind));
    message.number(2, strings.number(unit));
    message
}

/// The table of texts, of which the first is empty.
#[derive(Default)]
struct Strings(BTreeMap<String, u64>);

impl Strings {
    fn number(&mut self, text: &str) -> u64 {
        let next = self.0.len() as u64;
        *self.0.entry(text.to_string()).or_insert(next)
    }
    fn in_order(&self) -> Vec<&str> {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_by_key(|(_, number)| **number);
        all.into_iter().map(|(text, _)| text.as_str()).collect()
    }
}

/// A message of protocol buffers.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
    fn number(&mut self, field: u32, value: u64) {
        self.varint(u64::from(field << 3));
        self.varint(value);
    }
    fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.varint(u64::from(field << 3 | 2));
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
    fn message(&mut self, field: u32, message: Self) {
        self.bytes(field, &message.0);
    }
    fn packed(&mut self, field: u32, values: &[u64]) {
        let mut packed = Self::default();
        values.iter().for_each(|value| packed.varint(*value));
        self.message(field, packed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fields of a message: number and value, or number and bytes.
    fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, Vec<u8>)> {
        let varint = |bytes: &mut &[u8]| {
            let (mut value, mut shift) = (0, 0);
            loop {
                let byte = bytes[0];
                *bytes = &bytes[1..];
                value |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    return value;
                }
            }
        };
        let mut all = Vec::new();
        while !bytes.is_empty() {
            let (key, value) = (varint(&mut bytes), varint(&mut bytes));
            if key & 7 == 2 {
                all.push((key >> 3, value, bytes[..value as usize].to_vec()));
                bytes = &bytes[value as usize..];
            } else {
                all.push((key >> 3, value, Vec::new()));
            }
        }
        all
    }

    #[test]
    fn samples_lead_to_the_names_of_their_functions_innermost_first() {
        let stacks = [vec!["main".to_string(), "a".repeat(200)], vec!["main".to_string()]];
        let bytes = pprof(stacks.iter().zip([300, 2]).map(|(s, n)| (s.as_slice(), n)), Spent::OnCpu, Nanos(1_000));
        let all = fields(&bytes);
        let of = |number: u64| all.iter().filter(move |(n, ..)| *n == number);
        let texts: Vec<String> = of(6).map(|(_, _, text)| String::from_utf8(text.clone()).unwrap()).collect();
        assert_eq!(texts[0], "");
        let name = |id: u64| {
            let is = |f: &&(u64, u64, Vec<u8>)| fields(&f.2).contains(&(1, id, vec![]));
            let function = fields(&of(5).find(is).expect("a function").2);
            texts[function.iter().find(|(n, ..)| *n == 2).unwrap().1 as usize].clone()
        };
        let first = fields(&of(2).next().unwrap().2);
        let ids: Vec<u64> = first[0].2.iter().map(|b| u64::from(*b)).collect();
        assert_eq!(ids.iter().map(|id| name(*id)).collect::<Vec<_>>(), ["a".repeat(200), "main".into()]);
        // 300 and 300 000 as varints.
        assert_eq!(first[1].2, [0xac, 0x02, 0xe0, 0xa7, 0x12]);
        assert_eq!((of(4).count(), of(5).count(), of(1).count(), of(12).next().unwrap().1), (2, 2, 2, 1_000));
    }
}
