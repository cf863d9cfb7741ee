//! Translations in files: what one process has compiled, another one of the same build loads ([`CodeStore`]).
//!
//! A file holds one entry's host code and what goes with it, behind a checksum. Its name is made of all that the code depends on beside the
//! guest's bytes, and of the first of those; the others are in the file, and compared. What cannot be read, is not whole, or is not what is
//! looked for counts as absent: it is compiled and written again. Files appear whole, under their name at once, whenever a process ends; a
//! file system without room costs nothing but the gain. The directory is its owner's alone, since what is in it is executed.

use super::Program;
use super::code::Code;
use super::key::CodeKey;
use crate::dispatch::config::Accuracy;
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime};
use wavejit_ir::{Failure, FpMode};
use wavejit_jit::emit::saved;
use wavejit_jit::lift::CodeRead;

/// First bytes of a file.
const MAGIC: [u8; 8] = *b"wavejit\x01";
/// Magic and checksum.
const HEADER: usize = 16;
/// Most bytes of a file.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Bytes of all files, about; those not used for longest go first.
const MAX_BYTES: u64 = 512 << 20;
/// Dwords of guest code that the name is made of.
const PREFIX: u64 = 256;
/// How long a file under its first name may be on its way to the other.
const PATIENCE: Duration = Duration::from_secs(3600);
/// How files are called.
const EXTENSION: &str = "code";
/// And before they are whole.
const UNFINISHED: &str = "part";

/// What says where translations are kept: a directory; `on`: the user's cache directory; `off`.
pub const CODE_CACHE_VARIABLE: &str = "WAVEJIT_CODE_CACHE";

/// Where translations are to be kept as [`CODE_CACHE_VARIABLE`] says, and whether it says so; `unless_told`: on where it does not.
pub(crate) fn directory(unless_told: bool) -> Option<(PathBuf, bool)> {
    let told = std::env::var_os(CODE_CACHE_VARIABLE).filter(|v| !v.is_empty());
    let of_user = || {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
        Some(cache.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cache")))?.join("wavejit"))
    };
    match told.as_deref().map(|v| (v, v.to_str())) {
        None if unless_told => of_user().map(|path| (path, false)),
        None | Some((_, Some("off"))) => None,
        Some((_, Some("on"))) => of_user().map(|path| (path, true)),
        Some((path, _)) => Some((path.into(), true)),
    }
}

/// A directory of translations.
pub(crate) struct CodeStore {
    directory: PathBuf,
    /// What all names here depend on.
    made_by: String,
    has_swept: AtomicBool,
    pub(super) loaded: AtomicU64,
}

/// What is in a file before the host code.
#[derive(Serialize, Deserialize)]
pub(super) struct Head {
    pub key: CodeKey,
    pub target: String,
    pub accuracy: Accuracy,
    pub resume: Vec<(u64, FpMode)>,
    pub failures: Vec<Failure>,
    pub read: CodeRead,
    pub ways_on: Vec<(u64, FpMode)>,
    pub is_part: bool,
    pub has_calls: bool,
}

/// An entry of a program.
pub(super) struct Wanted<'a> {
    pub program: &'a Program,
    pub key: CodeKey,
}

impl CodeStore {
    /// The translations in a directory, which is made if it is not there.
    pub(crate) fn open(directory: &Path) -> io::Result<CodeStore> {
        let refused = |why: &str| io::Error::new(io::ErrorKind::PermissionDenied, format!("{}: {why}", directory.display()));
        let build = build_id().ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, "this build of the library has no build id"))?;
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let found = fs::metadata(directory)?;
        // SAFETY: it only asks.
        if found.uid() != unsafe { libc::geteuid() } {
            return Err(refused("it belongs to another user"));
        }
        if found.mode() & 0o022 != 0 {
            return Err(refused("others may write to it"));
        }
        let made_by = format!("{build} {}", saved::host_key());
        Ok(CodeStore { directory: directory.into(), made_by, has_swept: AtomicBool::new(false), loaded: AtomicU64::new(0) })
    }

    /// The translation of a kernel's entry, if there is one that will do.
    pub(super) fn find(&self, wanted: &Wanted, will_do: impl Fn(&Head) -> bool) -> Option<Code> {
        let start = std::time::Instant::now();
        let path = self.path(wanted);
        let bytes = read(&path)?;
        let (head, code) = postcard::take_from_bytes::<Head>(&bytes[HEADER..]).ok()?;
        let is_it = will_do(&head)
            && head.target == wanted.program.target.to_string()
            && head.accuracy == wanted.program.made_by.accuracy
            && CodeKey { entry: wanted.key.entry, ..head.key } == wanted.key
            && head.read.matches(wanted.key.entry, &|at, to| wanted.program.read_bytes(at, to));
        // SAFETY: the checksum was right, and the name says that this build made it on such a host; the directory is the user's alone.
        let compiled = is_it.then(|| unsafe { wavejit_jit::emit::Compiled::load(code) })??.ok()?;
        // When it was used is how long it stays.
        if let Ok(file) = File::options().append(true).open(&path) {
            let _ = file.set_modified(SystemTime::now());
        }
        self.loaded.fetch_add(1, Relaxed);
        Some(Code::loaded(head, compiled, start.elapsed()))
    }

    /// Writes a translation down. Whether that worked is nobody's business.
    pub(super) fn keep(&self, wanted: &Wanted, head: &Head, code: &[u8]) {
        let _ = self.try_keep(wanted, head, code);
        if !self.has_swept.swap(true, Relaxed) {
            let _ = self.sweep(MAX_BYTES);
        }
    }

    fn try_keep(&self, wanted: &Wanted, head: &Head, code: &[u8]) -> io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let head = postcard::to_allocvec(head).map_err(io::Error::other)?;
        let body = [&head[..], code].concat();
        let path = self.path(wanted);
        let unfinished = path.with_extension(format!("{}-{}.{UNFINISHED}", std::process::id(), NUMBER.fetch_add(1, Relaxed)));
        let written = || {
            let mut file = File::options().write(true).create_new(true).mode(0o600).open(&unfinished)?;
            file.write_all(&MAGIC)?;
            file.write_all(&checksum(&body).to_le_bytes())?;
            file.write_all(&body)?;
            drop(file);
            fs::rename(&unfinished, &path)
        };
        written().inspect_err(|_| drop(fs::remove_file(&unfinished)))
    }

    fn path(&self, wanted: &Wanted) -> PathBuf {
        let program = wanted.program;
        let code: Vec<u32> = (0..PREFIX).map_while(|i| program.read(wanted.key.entry.wrapping_add(4 * i))).collect();
        let key = CodeKey { entry: 0, ..wanted.key };
        let of = (&self.made_by, program.target.to_string(), program.made_by.accuracy, key, code);
        let half = |salt: u8| {
            let mut hash = DefaultHasher::new();
            (salt, &of).hash(&mut hash);
            hash.finish()
        };
        self.directory.join(format!("{:016x}{:016x}.{EXTENSION}", half(0), half(1)))
    }

    /// Removes what nobody finished, and the oldest of what there is too much of.
    fn sweep(&self, most: u64) -> io::Result<()> {
        let mut files = vec![];
        for entry in fs::read_dir(&self.directory)?.flatten() {
            let (path, Ok(found)) = (entry.path(), entry.metadata()) else { continue };
            let used = found.modified()?;
            match path.extension().and_then(|e| e.to_str()) {
                Some(UNFINISHED) if used.elapsed().is_ok_and(|age| age > PATIENCE) => fs::remove_file(&path)?,
                Some(EXTENSION) => files.push((used, found.len(), path)),
                _ => {}
            }
        }
        let mut bytes: u64 = files.iter().map(|f| f.1).sum();
        if bytes > most {
            files.sort_unstable();
            for (_, size, path) in files {
                if bytes <= most / 4 * 3 {
                    break;
                }
                fs::remove_file(&path)?;
                bytes -= size;
            }
        }
        Ok(())
    }
}

/// A whole file of ours, header included.
fn read(path: &Path) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    let found = file.metadata().ok()?;
    // SAFETY: it only asks.
    let is_ours = found.is_file() && found.uid() == unsafe { libc::geteuid() } && found.mode() & 0o022 == 0;
    if !is_ours || found.len() < HEADER as u64 || found.len() > MAX_FILE_BYTES {
        return None;
    }
    let mut bytes = Vec::with_capacity(found.len() as usize);
    file.read_to_end(&mut bytes).ok()?;
    let (header, body) = bytes.split_at_checked(HEADER)?;
    (header[..8] == MAGIC && header[8..] == checksum(body).to_le_bytes()).then_some(bytes)
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = DefaultHasher::new();
    hash.write(bytes);
    hash.finish()
}

/// What the linker called the object that this code is in: no other build has the same.
fn build_id() -> Option<String> {
    /// What is looked for, and what is found.
    struct Search {
        here: u64,
        found: Option<String>,
    }
    unsafe extern "C" fn look(object: *mut libc::dl_phdr_info, _: usize, search: *mut libc::c_void) -> libc::c_int {
        // SAFETY: the C library gives a whole object with its headers; the search is that of the caller below.
        let (object, search) = unsafe { (&*object, &mut *search.cast::<Search>()) };
        // SAFETY: as above.
        let headers = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()) };
        let start = |h: &libc::Elf64_Phdr| object.dlpi_addr.wrapping_add(h.p_vaddr);
        let is_inside = |h: &&libc::Elf64_Phdr| h.p_type == libc::PT_LOAD && search.here.wrapping_sub(start(h)) < h.p_memsz;
        if headers.iter().find(is_inside).is_none() {
            return 0;
        }
        for notes in headers.iter().filter(|h| h.p_type == libc::PT_NOTE) {
            // SAFETY: notes are part of the object's memory.
            let bytes = unsafe { std::slice::from_raw_parts(start(notes) as *const u8, notes.p_memsz as usize) };
            search.found = search.found.take().or_else(|| build_id_in(bytes));
        }
        1
    }
    let mut search = Search { here: build_id as *const () as u64, found: None };
    // SAFETY: the callback is for this.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.found
}

/// The build id among ELF notes: name size, description size, type, then name and description, each in whole dwords.
fn build_id_in(mut notes: &[u8]) -> Option<String> {
    const NT_GNU_BUILD_ID: u32 = 3;
    loop {
        let (header, rest) = notes.split_at_checked(12)?;
        let [name, description, kind] =
            [0, 4, 8].map(|at| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]));
        let (name, rest) = rest.split_at_checked((name as usize).next_multiple_of(4))?;
        let (text, rest) = rest.split_at_checked((description as usize).next_multiple_of(4))?;
        if kind == NT_GNU_BUILD_ID && name == b"GNU\0" {
            return Some(text[..description as usize].iter().map(|byte| format!("{byte:02x}")).collect());
        }
        notes = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_id_is_found_among_notes() {
        let note = |name: &[u8], kind: u32, text: &[u8]| {
            let mut bytes = [name.len() as u32, text.len() as u32, kind].map(u32::to_le_bytes).concat();
            bytes.extend(name);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes.extend(text);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes
        };
        let other = note(b"GNU\0", 1, &[0; 16]);
        let ours = note(b"GNU\0", 3, &[0xab, 1, 2]);
        assert_eq!(build_id_in(&[&other[..], &ours].concat()).as_deref(), Some("ab0102"));
        assert_eq!(build_id_in(&[&note(b"abc\0", 3, &[1]), &other[..]].concat()), None);
        for end in 0..ours.len() {
            assert_eq!(build_id_in(&ours[..end]), None, "{end}");
        }
    }
}
