//! Reading files: whatever a path leads to, reading it ends, and takes no more memory than is stated here.
//!
//! Regular files say their size, and are refused before anything is read if it is too large. Pipes, terminals and devices say nothing:
//! they may give [`MAX_STREAM_BYTES`] and have to end then.

use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::Duration;

/// Most bytes of code, source or a picture.
pub(crate) const MAX_FILE_BYTES: u64 = 1 << 32;
/// Most bytes of what has no size.
const MAX_STREAM_BYTES: u64 = 64 << 20;
/// How often a pipe that has nothing yet is asked again.
const PIPE_PAUSE: Duration = Duration::from_millis(2);

/// Contents of a file of at most `most` bytes, or of standard input for `-`.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        return read_stream(&mut std::io::stdin().lock(), 0, MAX_STREAM_BYTES).context("standard input");
    }
    read_path(path, most).with_context(|| path.display().to_string())
}

fn read_path(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut file = open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        bail!("is a directory");
    }
    if !metadata.is_file() {
        return read_stream(&mut file, 0, MAX_STREAM_BYTES.min(most));
    }
    if metadata.len() > most {
        bail!("has {} bytes; at most {most} are read", metadata.len());
    }
    read_stream(&mut file, metadata.len() as usize, most)
}

/// Opens a file. A FIFO that nobody has opened for writing is empty, and nothing to wait for.
fn open(path: &Path) -> Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    Ok(options.open(path)?)
}

/// Reads to the end, which must come after `most` bytes.
fn read_stream(input: &mut impl Read, expected: usize, most: u64) -> Result<Vec<u8>> {
    let no_memory = |n: usize| format!("no memory for {n} bytes");
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(expected).with_context(|| no_memory(expected))?;
    let mut piece = vec![0; 64 << 10];
    loop {
        let n = match input.read(&mut piece) {
            Ok(0) => return Ok(bytes),
            Ok(n) => n,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) if e.kind() == ErrorKind::WouldBlock => {
                // Someone has the other end open and has not written yet.
                std::thread::sleep(PIPE_PAUSE);
                continue;
            }
            Err(e) => return Err(e.into()),
        };
        if (bytes.len() + n) as u64 > most {
            bail!("does not end after {most} bytes, which is all that is read");
        }
        bytes.try_reserve(n).with_context(|| no_memory(bytes.len() + n))?;
        bytes.extend_from_slice(&piece[..n]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_an_error() {
        let message = |path: &str| format!("{:#}", read(Path::new(path), MAX_FILE_BYTES).unwrap_err());
        assert!(message("/dev/zero").contains("/dev/zero: does not end after 67108864 bytes"));
        assert!(message("/").contains("directory"));
        assert!(message("/no/such/file").contains("/no/such/file"));
        assert_eq!(read(Path::new("/dev/null"), MAX_FILE_BYTES).unwrap(), b"");
    }

    #[test]
    fn sizes_are_limits_before_anything_is_read() {
        let path = std::env::temp_dir().join(format!("wavejit-sparse-{}", std::process::id()));
        File::create(&path).and_then(|f| f.set_len(1 << 40)).unwrap();
        let message = format!("{:#}", read(&path, MAX_FILE_BYTES).unwrap_err());
        std::fs::remove_file(&path).unwrap();
        assert!(message.contains("has 1099511627776 bytes; at most 4294967296 are read"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn a_fifo_is_read_as_far_as_someone_writes() {
        let path = std::env::temp_dir().join(format!("wavejit-fifo-{}", std::process::id()));
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert_eq!(read(&path, MAX_FILE_BYTES).unwrap(), b"", "nobody writes");
        // With read and write access a FIFO opens at once.
        let mut writer = File::options().read(true).write(true).open(&path).unwrap();
        let reader = std::thread::spawn({
            let path = path.clone();
            move || read(&path, MAX_FILE_BYTES).unwrap()
        });
        std::thread::sleep(Duration::from_millis(20));
        std::io::Write::write_all(&mut writer, b"some bytes").unwrap();
        std::thread::sleep(Duration::from_millis(20));
        drop(writer);
        let bytes = reader.join().unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(bytes, b"some bytes");
    }
}
