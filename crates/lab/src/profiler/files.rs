//! What lies mapped in a server's process: executables and libraries, with what unwinding needs of each, and where in
//! them an address is. Files are read through `/proc/PID/root`, so that a server in a container of this host has its
//! own. Each is read once, whichever processes map it, and of a file only the sections that unwinding takes.

use framehop::{ExplicitModuleSectionInfo, Module};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, ReadCache, ReadRef, SegmentFlags};
use std::collections::HashMap;
use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

pub type Bytes = Arc<[u8]>;

/// The kernel's own little library in every process, which is in no file.
const VDSO: &str = "[vdso]";
/// Larger ones of it there are not.
const MOST_VDSO: u64 = 1 << 20;

/// A file as far as it is needed.
pub struct Mapped {
    /// As a person calls it: `mariadbd`, `libc.so.6`.
    pub name: String,
    /// Where it can be read while the process lives; `None` of what is in no file.
    pub path: Option<PathBuf>,
    pub build_id: Option<String>,
    /// Functions of what is in no file, by address.
    pub symbols: Vec<(Range<u64>, String)>,
    /// The segments that may be executed: the part of the file that is mapped for it, and the file's own address of
    /// that part's beginning.
    segments: Vec<(Range<u64>, u64)>,
    /// Where functions begin, in order, as unwinding knows them.
    beginnings: Vec<u64>,
    sections: Sections,
}

#[derive(Clone, Default)]
struct Sections {
    text: Option<(Range<u64>, Bytes)>,
    got: Option<Range<u64>>,
    eh_frame: Option<(Range<u64>, Bytes)>,
    eh_frame_hdr: Option<(Range<u64>, Bytes)>,
    debug_frame: Option<Bytes>,
}

/// All files that were met.
#[derive(Default)]
pub struct Files {
    pub all: Vec<Mapped>,
    by_name: HashMap<String, Option<usize>>,
}

/// An executable part of a process's memory.
pub struct Region {
    pub at: Range<u64>,
    /// Which of the files.
    pub file: usize,
    /// What to take off an address for the file's own.
    pub bias: u64,
}

impl Files {
    /// What the process has mapped to be executed; empty of one that is gone.
    pub fn regions(&mut self, pid: u32) -> Vec<Region> {
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
        let parsed = maps.lines().filter_map(executable);
        parsed.filter_map(|(at, offset, name)| self.region(pid, at, offset, name)).collect()
    }

    fn region(&mut self, pid: u32, at: Range<u64>, offset: u64, name: &str) -> Option<Region> {
        let all = &mut self.all;
        let file = *self.by_name.entry(name.to_string()).or_insert_with(|| {
            all.push(if name == VDSO { vdso(pid, &at)? } else { on_disk(pid, name)? });
            Some(all.len() - 1)
        });
        let mapped = &self.all[file?];
        let (part, address) = mapped.segments.iter().find(|(part, _)| part.contains(&offset))?;
        let bias = at.start.wrapping_sub(address + (offset - part.start));
        Some(Region { at, file: file?, bias })
    }
}

impl Mapped {
    /// What a function without a name is called: its file, and where in it it begins, `[libc.so.6+0x9f0b0]`.
    pub fn nameless(&self, address: u64) -> String {
        match self.beginnings[..self.beginnings.partition_point(|from| *from <= address)].last() {
            Some(from) => format!("[{}+{from:#x}]", self.name),
            None => format!("[{}]", self.name),
        }
    }

    /// As framehop wants it, at its place in a process.
    pub fn module(&self, region: &Region) -> Module<Bytes> {
        let Sections { text, got, eh_frame, eh_frame_hdr, debug_frame } = self.sections.clone();
        let (text_svma, text) = text.unzip();
        let (eh_frame_svma, eh_frame) = eh_frame.unzip();
        let (eh_frame_hdr_svma, eh_frame_hdr) = eh_frame_hdr.unzip();
        let sections = ExplicitModuleSectionInfo {
            text_svma,
            text,
            got_svma: got,
            eh_frame_svma,
            eh_frame,
            eh_frame_hdr_svma,
            eh_frame_hdr,
            debug_frame,
            ..ExplicitModuleSectionInfo::default()
        };
        Module::new(self.name.clone(), region.at.clone(), region.bias, sections)
    }
}

/// Address range, offset and name of a line of `/proc/PID/maps` that may be executed and has a file or is the vdso.
fn executable(line: &str) -> Option<(Range<u64>, u64, &str)> {
    let mut fields = line.splitn(6, ' ');
    let (from, to) = fields.next()?.split_once('-')?;
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let is_executable = fields.next()?.contains('x');
    let offset = number(fields.next()?)?;
    let name = fields.nth(2)?.trim_start();
    let name = name.strip_suffix(" (deleted)").unwrap_or(name);
    (is_executable && (name.starts_with('/') || name == VDSO)).then_some((number(from)?..number(to)?, offset, name))
}

fn on_disk(pid: u32, name: &str) -> Option<Mapped> {
    let inside = PathBuf::from(format!("/proc/{pid}/root{name}"));
    // Outlives the process, where the file is the same for us.
    let path = if PathBuf::from(name).exists() { PathBuf::from(name) } else { inside };
    let data = ReadCache::new(File::open(&path).ok()?);
    let short = name.rsplit('/').next().unwrap_or(name).to_string();
    Some(Mapped { path: Some(path), ..mapped(short, &object::File::parse(&data).ok()?) })
}

fn vdso(pid: u32, at: &Range<u64>) -> Option<Mapped> {
    let mut bytes = vec![0; (at.end - at.start).min(MOST_VDSO) as usize];
    File::open(format!("/proc/{pid}/mem")).ok()?.read_exact_at(&mut bytes, at.start).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let symbols = file.dynamic_symbols().filter(|symbol| symbol.is_definition() && symbol.size() > 0);
    let symbols = symbols.filter_map(|s| Some((s.address()..s.address() + s.size(), s.name().ok()?.to_string())));
    Some(Mapped { symbols: symbols.collect(), ..mapped(VDSO.trim_matches(['[', ']']).to_string(), &file) })
}

fn mapped<'d, R: ReadRef<'d>>(name: String, file: &object::File<'d, R>) -> Mapped {
    let range = |section: &object::Section<'d, '_, R>| section.address()..section.address() + section.size();
    let bytes = |section: &object::Section<'d, '_, R>| section.data().ok().map(Bytes::from);
    let section = |name: &str| file.section_by_name(name);
    let both = |name: &str| section(name).and_then(|s| Some((range(&s), bytes(&s)?)));
    let hex = |id: &[u8]| id.iter().map(|byte| format!("{byte:02x}")).collect();
    let is_executable = |flags| matches!(flags, SegmentFlags::Elf { p_flags, .. } if p_flags & object::elf::PF_X != 0);
    // What is mapped begins at a page, which may belong to the segment before as well.
    let segment = |segment: object::Segment<'d, '_, R>| {
        let (offset, size) = segment.file_range();
        let before = offset % rustix::param::page_size() as u64;
        (offset - before..offset + size, segment.address().wrapping_sub(before))
    };
    let header = both(".eh_frame_hdr");
    Mapped {
        name,
        path: None,
        build_id: file.build_id().ok().flatten().map(hex),
        symbols: Vec::new(),
        segments: file.segments().filter(|segment| is_executable(segment.flags())).map(segment).collect(),
        beginnings: header.as_ref().and_then(|(at, bytes)| beginnings(at.start, bytes)).unwrap_or_default(),
        sections: Sections {
            text: both(".text"),
            got: section(".got").map(|s| range(&s)),
            eh_frame: both(".eh_frame"),
            eh_frame_hdr: header,
            debug_frame: section(".debug_frame")
                .and_then(|s| s.uncompressed_data().ok().map(|data| Bytes::from(&*data))),
        },
    }
}

/// Where functions begin, of the table that `.eh_frame_hdr` has for searching (Linux Standard Base, 10.6.2), in the
/// encoding that every linker writes: 32 bits, counted from the header's own address.
fn beginnings(at: u64, header: &[u8]) -> Option<Vec<u64>> {
    const FROM_HERE_32: u8 = 0x3b;
    let [1, _, 0x03, FROM_HERE_32] = header.first_chunk::<4>()? else { return None };
    let word = |bytes: &[u8]| bytes.first_chunk().map(|bytes| i32::from_le_bytes(*bytes));
    let count = usize::try_from(word(header.get(8..)?)?).ok()?;
    let entries = header.get(12..)?.chunks_exact(8).take(count);
    entries.map(|entry| Some(at.wrapping_add_signed(i64::from(word(entry)?)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_executed_and_has_code_of_its_own_is_taken() {
        let line = |line| executable(line);
        assert_eq!(
            line("7f00-7f80 r-xp 00028000 08:01 1442  /usr/lib/my db/libc.so.6"),
            Some((0x7f00..0x7f80, 0x28000, "/usr/lib/my db/libc.so.6"))
        );
        assert_eq!(line("7f00-7f80 r-xp 0 08:01 1442  /srv/mysqld (deleted)").map(|l| l.2), Some("/srv/mysqld"));
        assert_eq!(line("7f00-7f80 r-xp 00000000 00:00 0  [vdso]").map(|l| l.2), Some("[vdso]"));
        assert_eq!(line("7f00-7f80 rw-p 00028000 08:01 1442  /usr/lib/libc.so.6"), None);
        assert_eq!(line("7f00-7f80 rwxp 00000000 00:00 0 "), None);
    }

    #[test]
    fn functions_begin_where_the_header_for_unwinding_says() {
        let header: Vec<u8> =
            [[1, 0x1b, 3, 0x3b], [0; 4], [2, 0, 0, 0], [16, 0, 0, 0], [0; 4], [32, 0, 0, 0], [0; 4]].concat();
        assert_eq!(beginnings(0x1000, &header).unwrap(), [0x1010, 0x1020]);
        assert_eq!((beginnings(0x1000, &header[..10]), beginnings(0x1000, &[2, 0x1b, 3, 0x3b])), (None, None));
    }

    #[test]
    fn an_address_of_this_process_is_found_in_its_own_file() {
        let mut files = Files::default();
        let regions = files.regions(std::process::id());
        let here = an_address_of_this_process_is_found_in_its_own_file as fn() as usize as u64;
        let region = regions.iter().find(|region| region.at.contains(&here)).expect("this code is mapped");
        let own = std::env::current_exe().unwrap();
        assert_eq!(files.all[region.file].path.as_ref(), Some(&own));
        assert!(regions.iter().any(|region| files.all[region.file].name == "vdso"));
    }
}
