//! Recordings of jobs: indirect buffers, and the memory before and after. What a driver wrote can be looked at, and run again without the driver.
//!
//! A file is a job: `wavejit dump 1` and a newline, then sections of a name of four letters, their length in 64 bits, and their bytes; numbers are little
//! endian.
//!
//! | section | bytes |
//! |---|---|
//! | `JOB ` | context, type of engine, ring, 0 as 32 bits each; number in the ring as 64 bits; the processor's name |
//! | `IB  ` | address, dwords |
//! | `MAP ` | address, bytes of a range that is mapped; pages of it that no section has are 0 |
//! | `PAGE` | address, then a page as it is before the job; those that an earlier file of the folder has, and that are the same, are left out |
//! | `NEXT` | address, then a page that is different after the job |
//! | `FAIL` | why the job ended early |

use crate::ring::Engine;
use rustc_hash::FxHashMap;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use wavejit::AddressSpace;

/// What files begin with.
const MAGIC: &[u8] = b"wavejit dump 1\n";
/// Bytes of a page.
pub const PAGE: usize = 4096;
/// How files of a folder end.
const SUFFIX: &str = "dump";

/// What is known of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// A number for each set of registers: rings of one context keep theirs from job to job.
    pub context: u32,
    /// Which kind of ring.
    pub engine: Engine,
    /// Which of them.
    pub ring: u32,
    /// The job's number in its ring.
    pub sequence: u64,
    /// Name of the processor.
    pub target: String,
    /// Indirect buffers: guest address, dwords.
    pub ibs: Vec<(u64, u32)>,
}

/// Writes jobs into a folder, one file each.
pub struct Recorder {
    folder: PathBuf,
    files: u32,
    /// Contents of pages in the files so far, as hashes.
    known: FxHashMap<u64, u64>,
}

/// A job that is being recorded.
pub struct Recording {
    file: BufWriter<fs::File>,
    mapped: Vec<(u64, u64)>,
}

impl Recorder {
    /// Makes the folder, unless it is there.
    pub fn new(folder: &Path) -> io::Result<Recorder> {
        fs::create_dir_all(folder)?;
        Ok(Recorder { folder: folder.into(), files: 0, known: FxHashMap::default() })
    }

    /// Records a job that is about to run, and the memory in these ranges (guest address, bytes) that may hold something else than 0; `mapped`
    /// are all ranges.
    pub fn begin(&mut self, job: &Job, memory: &AddressSpace, mapped: &[(u64, u64)], ranges: &[(u64, u64)]) -> io::Result<Recording> {
        self.files += 1;
        let path = self.folder.join(format!("{:05}.{SUFFIX}", self.files));
        let mut file = BufWriter::new(fs::File::create(path)?);
        file.write_all(MAGIC)?;
        let engine = engine_number(job.engine);
        let words = [job.context, engine, job.ring, 0].map(u32::to_le_bytes).concat();
        section(&mut file, b"JOB ", &[&words, &job.sequence.to_le_bytes(), job.target.as_bytes()])?;
        for (address, dwords) in &job.ibs {
            section(&mut file, b"IB  ", &[&address.to_le_bytes(), &dwords.to_le_bytes()])?;
        }
        for (address, bytes) in mapped {
            section(&mut file, b"MAP ", &[&address.to_le_bytes(), &bytes.to_le_bytes()])?;
        }
        self.pages(&mut file, b"PAGE", memory, ranges, mapped)?;
        Ok(Recording { file, mapped: mapped.into() })
    }

    /// Records what a job has changed of what was mapped when it began, and why it ended early if it did.
    pub fn end(&mut self, recording: Recording, memory: &AddressSpace, ranges: &[(u64, u64)], failure: Option<&str>) -> io::Result<()> {
        let Recording { mut file, mapped } = recording;
        self.pages(&mut file, b"NEXT", memory, ranges, &mapped)?;
        if let Some(why) = failure {
            section(&mut file, b"FAIL", &[why.as_bytes()])?;
        }
        file.flush()
    }

    /// Pages that are not what the files so far say.
    fn pages(
        &mut self,
        file: &mut impl Write,
        name: &[u8; 4],
        memory: &AddressSpace,
        ranges: &[(u64, u64)],
        mapped: &[(u64, u64)],
    ) -> io::Result<()> {
        let mut all: Vec<u64> = ranges.iter().flat_map(|(start, bytes)| (*start..start + bytes).step_by(PAGE)).collect();
        // Where something was there may be a new page by now, of zeros.
        all.extend(self.known.keys());
        all.sort_unstable();
        all.dedup();
        let mut mapped = mapped.to_vec();
        mapped.sort_unstable();
        all.retain(|address| {
            let before = mapped[..mapped.partition_point(|(start, _)| start <= address)].last();
            before.is_some_and(|(start, bytes)| address - start < *bytes)
        });
        let mut page = [0; PAGE];
        for address in all {
            // What has been unmapped is not there.
            if memory.read(address, &mut page).is_err() {
                continue;
            }
            let hash = hash(&page);
            let old = self.known.insert(address, hash);
            if old != Some(hash) && (old.is_some() || page.iter().any(|b| *b != 0)) {
                section(file, name, &[&address.to_le_bytes(), &page])?;
            }
        }
        Ok(())
    }
}

fn section(file: &mut impl Write, name: &[u8; 4], parts: &[&[u8]]) -> io::Result<()> {
    let len: usize = parts.iter().map(|p| p.len()).sum();
    file.write_all(name)?;
    file.write_all(&(len as u64).to_le_bytes())?;
    parts.iter().try_for_each(|part| file.write_all(part))
}

/// FNV-1a over words of 64 bits.
fn hash(page: &[u8; PAGE]) -> u64 {
    let words = page.as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w));
    words.fold(0xcbf2_9ce4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x100_0000_01b3).rotate_left(29))
}

fn engine_number(engine: Engine) -> u32 {
    match engine {
        Engine::Graphics => 0,
        Engine::Compute => 1,
        Engine::Sdma => 2,
    }
}

/// A file, read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dump {
    /// The job.
    pub job: Job,
    /// Ranges that are mapped: guest address, bytes.
    pub mapped: Vec<(u64, u64)>,
    /// Pages that are different from those of earlier files: guest address, contents.
    pub before: Vec<(u64, Vec<u8>)>,
    /// Pages that the job has changed.
    pub after: Vec<(u64, Vec<u8>)>,
    /// Why it ended early.
    pub failure: Option<String>,
}

impl Dump {
    /// Files of a folder, in order.
    pub fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut files = fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?;
        files.retain(|path| path.extension().is_some_and(|e| e == SUFFIX));
        files.sort();
        Ok(files)
    }

    /// Reads a file. An error says where it is not one.
    pub fn read(path: &Path) -> io::Result<Dump> {
        Dump::parse(&fs::read(path)?).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {why}", path.display())))
    }

    /// Reads the bytes of a file.
    pub fn parse(bytes: &[u8]) -> Result<Dump, String> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or("not a recording of wavejit")?;
        let mut job = None;
        let mut dump = Dump {
            job: Job { context: 0, engine: Engine::Graphics, ring: 0, sequence: 0, target: String::new(), ibs: vec![] },
            mapped: vec![],
            before: vec![],
            after: vec![],
            failure: None,
        };
        while !rest.is_empty() {
            let at = bytes.len() - rest.len();
            let cut = || format!("cut off in the section at {at:#x}");
            let (name, after) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
            let (len, after) = after.split_first_chunk::<8>().ok_or_else(cut)?;
            let len = usize::try_from(u64::from_le_bytes(*len)).map_err(|_| cut())?;
            let (body, after) = after.split_at_checked(len).ok_or_else(cut)?;
            rest = after;
            let bad = || format!("a section at {at:#x} of {len} bytes that has others");
            let word = |i: usize| body.get(4 * i..4 * i + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).ok_or_else(bad);
            let long = |i: usize| Ok::<u64, String>(u64::from(word(2 * i)?) | u64::from(word(2 * i + 1)?) << 32);
            let page = || Ok::<_, String>((long(0)?, body.get(8..8 + PAGE).filter(|_| len == 8 + PAGE).ok_or_else(bad)?.to_vec()));
            match name {
                b"JOB " => {
                    let engine = match word(1)? {
                        0 => Engine::Graphics,
                        1 => Engine::Compute,
                        2 => Engine::Sdma,
                        other => return Err(format!("engine {other} is not known")),
                    };
                    let target = String::from_utf8_lossy(body.get(24..).ok_or_else(bad)?).into_owned();
                    job = Some(Job { context: word(0)?, engine, ring: word(2)?, sequence: long(2)?, target, ibs: vec![] });
                }
                b"IB  " => dump.job.ibs.push((long(0)?, word(2)?)),
                b"MAP " => dump.mapped.push((long(0)?, long(1)?)),
                b"PAGE" => dump.before.push(page()?),
                b"NEXT" => dump.after.push(page()?),
                b"FAIL" => dump.failure = Some(String::from_utf8_lossy(body).into_owned()),
                other => return Err(format!("section `{}` at {at:#x} is not known", String::from_utf8_lossy(other))),
            }
        }
        let job = job.ok_or("there is no job in it")?;
        dump.job = Job { ibs: std::mem::take(&mut dump.job.ibs), ..job };
        Ok(dump)
    }
}
