//! The build ID of a program: the linker's name for exactly this output, which the distribution's debug symbols and
//! stack traces are filed under (note `NT_GNU_BUILD_ID` of a 64-bit ELF file). Nothing else of the format is read.

const MAGIC: &[u8] = b"\x7fELF\x02\x01";
const NOTES: u32 = 4;
const OWNER: &[u8] = b"GNU\0";
const BUILD_ID: u32 = 3;

/// As hexadecimal digits; `None` where the file is something else, as a script, or was linked without one.
pub fn build_id(file: &[u8]) -> Option<String> {
    if !file.starts_with(MAGIC) {
        return None;
    }
    let table = usize::try_from(long(file, 32)?).ok()?;
    let (size, count) = (half(file, 54)?, half(file, 56)?);
    let headers = (0..count).filter_map(|i| file.get(table.checked_add(i * size)?..)?.get(..size));
    let mut notes = headers.filter(|header| word(header, 0) == Some(NOTES));
    notes.find_map(|header| {
        let from = usize::try_from(long(header, 8)?).ok()?;
        let length = usize::try_from(long(header, 32)?).ok()?;
        of_notes(file.get(from..)?.get(..length)?)
    })
}

fn of_notes(mut notes: &[u8]) -> Option<String> {
    loop {
        let [owner, value] = [0, 4].map(|at| word(notes, at).and_then(|length| usize::try_from(length).ok()));
        let (owner, value, kind) = (owner?, value?, word(notes, 8)?);
        let name = notes.get(12..)?.get(..owner)?;
        let bytes = notes.get(12 + owner.next_multiple_of(4)..)?;
        if kind == BUILD_ID && name == OWNER {
            return Some(bytes.get(..value)?.iter().map(|b| format!("{b:02x}")).collect());
        }
        notes = bytes.get(value.next_multiple_of(4)..)?;
    }
}

fn half(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?).into())
}
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header, one program header that leads to notes, and two notes of which the second is the build ID.
    fn program() -> Vec<u8> {
        let note = |kind: u32, value: &[u8]| {
            let words = [OWNER.len() as u32, value.len() as u32, kind].map(u32::to_le_bytes).concat();
            [&words, OWNER, value].concat()
        };
        let notes = [note(1, &[0; 16]), note(BUILD_ID, &[0xde, 0xad, 0xbe, 0xef])].concat();
        let mut header = vec![0; 64];
        header[..MAGIC.len()].copy_from_slice(MAGIC);
        header[32] = 64;
        (header[54], header[56]) = (56, 1);
        let mut to_notes = vec![0; 56];
        (to_notes[0], to_notes[8], to_notes[32]) = (4, 120, notes.len() as u8);
        [header, to_notes, notes].concat()
    }

    #[test]
    fn a_program_has_the_name_that_its_linker_gave_it() {
        let file = program();
        assert_eq!(build_id(&file).as_deref(), Some("deadbeef"));
        assert_eq!(build_id(b"#!/bin/sh\nexec mariadbd\n"), None);
        for end in 0..file.len() {
            assert_eq!(build_id(&file[..end]), None, "cut at {end}");
        }
    }
}
