//! From addresses to names of functions: of files by blazesym (exported symbols, debug information in the file, behind
//! its debug link or in debuginfod's cache, and what the compiler inlined), of the kernel by `/proc/kallsyms`. Names
//! lose their arguments and the compiler's marks of clones: the same function of two builds has to have one name.

use super::collector::Frame;
use super::files::Mapped;
use blazesym::symbolize::source::{Elf, Source};
use blazesym::symbolize::{Input, Symbolized, Symbolizer};
use cpp_demangle::{DemangleOptions, Symbol};
use model::record::profile::{INLINED, KERNEL, NAMELESS};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::env;
use std::fs;
use std::path::PathBuf;

/// Where a larger share of a file's addresses has no name, it is told: fewer are its entry stubs.
const MANY_UNNAMED: f64 = 0.1;
/// What was hardly entered is not told.
const FEW: usize = 10;
/// What a function of the kernel is called where nobody may know more.
const KERNEL_HIDDEN: &str = "[kernel]";
const NOWHERE: &str = "[unknown]";

/// The names of each frame, the outermost function first, and what kept others from having one.
pub fn names(files: &[Mapped], frames: &BTreeSet<Frame>) -> (HashMap<Frame, Vec<String>>, Vec<String>) {
    let mut names = HashMap::new();
    let mut missing = Vec::new();
    let mut by_file: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    let mut in_kernel = Vec::new();
    for frame in frames {
        match frame {
            Frame::Kernel(address) => in_kernel.push(*address),
            Frame::In(file, address) => by_file.entry(*file).or_default().push(*address),
            Frame::Nowhere => {
                names.insert(Frame::Nowhere, vec![NOWHERE.to_string()]);
            }
        }
    }
    if !in_kernel.is_empty() {
        let kallsyms = fs::read_to_string("/proc/kallsyms").unwrap_or_default();
        let known = kernel(&kallsyms);
        if known.is_empty() {
            let why = "functions of the kernel have no names here (kptr_restrict); run as root, or set \
                       `sysctl kernel.kptr_restrict=0`";
            missing.push(why.to_string());
        }
        names.extend(in_kernel.into_iter().map(|address| (Frame::Kernel(address), vec![of_kernel(&known, address)])));
    }
    let symbolizer = Symbolizer::builder().enable_code_info(false).enable_demangling(false).build();
    for (number, addresses) in by_file {
        let file = &files[number];
        let found = in_file(&symbolizer, file, &addresses);
        let unnamed = found.iter().filter(|names| names.is_none()).count();
        if unnamed >= FEW && unnamed as f64 > MANY_UNNAMED * addresses.len() as f64 {
            missing.push(stripped(file));
        }
        let nameless = |address| vec![file.nameless(address)];
        let told = addresses.into_iter().zip(found);
        names.extend(told.map(|(at, found)| (Frame::In(number, at), found.unwrap_or_else(|| nameless(at)))));
    }
    (names, missing)
}

fn stripped(file: &Mapped) -> String {
    let fetch = match &file.build_id {
        Some(id) => format!("install its debug symbols (its -dbgsym package), or `debuginfod-find debuginfo {id}`"),
        None => "take a build with symbols".to_string(),
    };
    format!("functions that {} does not export {NAMELESS}, since it is stripped; {fetch}", file.name)
}

/// The functions around each address, the outermost first.
fn in_file(symbolizer: &Symbolizer, file: &Mapped, addresses: &[u64]) -> Vec<Option<Vec<String>>> {
    let Some(path) = &file.path else {
        let name = |address: &u64| file.symbols.iter().find(|(at, _)| at.contains(address)).map(|(_, name)| name);
        return addresses.iter().map(|address| Some(vec![name(address)?.clone()])).collect();
    };
    let path = file.build_id.as_deref().and_then(debuginfod).unwrap_or_else(|| path.clone());
    let mut elf = Elf::new(path);
    let with_debug = symbolizer.symbolize(&Source::Elf(elf.clone()), Input::VirtOffset(addresses));
    elf.debug_syms = false;
    // Debug information that cannot be read, as packed in a way that is not known here, takes no exported name away.
    let source = Source::Elf(elf);
    let Ok(found) = with_debug.or_else(|_| symbolizer.symbolize(&source, Input::VirtOffset(addresses))) else {
        return vec![None; addresses.len()];
    };
    let names = |symbolized: Symbolized<'_>| match symbolized {
        Symbolized::Unknown(_) => None,
        Symbolized::Sym(symbol) => {
            let inlined = symbol.inlined.iter().map(|function| plain(&function.name) + INLINED);
            Some(std::iter::once(plain(&symbol.name)).chain(inlined).collect())
        }
    };
    found.into_iter().map(names).collect()
}

/// What debuginfod has fetched before.
fn debuginfod(build_id: &str) -> Option<PathBuf> {
    let home = || Some(PathBuf::from(env::var_os("XDG_CACHE_HOME").unwrap_or(env::var_os("HOME")?)));
    let usual = || {
        let cache = if env::var_os("XDG_CACHE_HOME").is_some() { home()? } else { home()?.join(".cache") };
        Some(cache.join("debuginfod_client"))
    };
    let cache = env::var_os("DEBUGINFOD_CACHE_PATH").map(PathBuf::from).or_else(usual)?;
    Some(cache.join(build_id).join("debuginfo")).filter(|path| path.metadata().is_ok_and(|file| file.len() > 0))
}

/// A name as a person says it: no arguments, no version, no clone.
fn plain(name: &str) -> String {
    let name = name.split('@').next().unwrap_or(name);
    let name = name.find('.').filter(|at| *at > 0).map_or(name, |at| &name[..at]);
    let options = DemangleOptions::new().no_params().no_return_type();
    let demangled = Symbol::new(name).ok().and_then(|symbol| symbol.demangle_with_options(&options).ok());
    demangled.unwrap_or_else(|| name.to_string())
}

/// Functions of the kernel by address; empty where addresses are hidden.
fn kernel(kallsyms: &str) -> Vec<(u64, &str)> {
    let symbol = |line: &'_ str| -> Option<(u64, usize)> {
        let (address, rest) = line.split_once(' ')?;
        let (kind, _) = rest.split_once(' ')?;
        let address = u64::from_str_radix(address, 16).ok().filter(|address| *address > 0)?;
        matches!(kind, "t" | "T" | "w" | "W").then_some((address, line.len() - rest.len() + kind.len() + 1))
    };
    let name = |line: &'_ str, from: usize| line[from..].split_whitespace().next().map_or(0, str::len);
    let mut all: Vec<_> = kallsyms
        .lines()
        .filter_map(|line| {
            let (address, from) = symbol(line)?;
            Some((address, &line[from..from + name(line, from)]))
        })
        .collect();
    all.sort_unstable_by_key(|(address, _)| *address);
    all
}

fn of_kernel(known: &[(u64, &str)], address: u64) -> String {
    let behind = known.partition_point(|(from, _)| *from <= address);
    match behind.checked_sub(1) {
        Some(at) => plain(known[at].1) + KERNEL,
        None => KERNEL_HIDDEN.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_function_of_two_builds_has_one_name() {
        for (mangled, name) in [
            ("_Z15row_search_mvccPh15page_cur_mode_tP14row_prebuilt_tmm", "row_search_mvcc"),
            ("_ZN4JOIN4execEv", "JOIN::exec"),
            ("_ZN4JOIN4execEv.cold", "JOIN::exec"),
            ("buf_page_get_gen.constprop.0", "buf_page_get_gen"),
            ("memcpy@@GLIBC_2.14", "memcpy"),
            ("__memmove_avx_unaligned", "__memmove_avx_unaligned"),
        ] {
            assert_eq!(plain(mangled), name);
        }
    }

    #[test]
    fn a_kernel_address_is_in_the_function_before_it_and_hidden_ones_are_none() {
        let known = kernel("ffff00 T do_syscall_64\nffff80 t sock_poll.isra.0\t[net]\nffff90 D data\n");
        assert_eq!(known, [(0xffff00, "do_syscall_64"), (0xffff80, "sock_poll.isra.0")]);
        assert_eq!(of_kernel(&known, 0xffff7f), "do_syscall_64_[k]");
        assert_eq!((of_kernel(&known, 0xffff95), of_kernel(&known, 1)), ("sock_poll_[k]".into(), "[kernel]".into()));
        assert_eq!(kernel("0000000000000000 T do_syscall_64\n"), []);
    }

    #[test]
    fn functions_of_this_program_are_named() {
        let mut files = super::super::files::Files::default();
        let regions = files.regions(std::process::id());
        let here = functions_of_this_program_are_named as fn() as usize as u64;
        let region = regions.iter().find(|region| region.at.contains(&here)).unwrap();
        let frame = Frame::In(region.file, here.wrapping_sub(region.bias));
        let (names, _) = names(&files.all, &BTreeSet::from([frame, Frame::Nowhere]));
        assert!(names[&frame][0].contains("functions_of_this_program_are_named"), "{names:?}");
        assert_eq!(names[&Frame::Nowhere], ["[unknown]"]);
    }
}
