//! `wavejit replay`: runs jobs that `wavejit vk --dump` has recorded again, without the driver and the program.

use crate::print;
use anyhow::{Context, Result, bail};
use std::fmt::Write;
use std::path::PathBuf;
use wavejit::{Device, DeviceConfig};
use wavejit_gpu::dump::Dump;
use wavejit_gpu::replay::{Outcome, Replay};
use wavejit_gpu::{Gpu, Options};

/// Differences of a job that are listed.
const LISTED: usize = 8;

const EXAMPLES: &str = "\
Examples:
  wavejit vk --dump jobs -- ./program
  wavejit replay jobs
  wavejit replay --max-insts 1000000 jobs";

/// Run recorded jobs of a GPU again, and say where memory ends up different.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReplayArgs {
    /// Folder of recorded jobs.
    folder: PathBuf,
    /// Threads that run workgroups; default: as many as the host has.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// GB_ADDR_CONFIG of the device.
    #[arg(long, default_value_t = 0x545)]
    gb_addr_config: u32,
    /// Guest instructions that a wave may run; 0: any number.
    #[arg(long, value_name = "N", default_value_t = 0)]
    max_insts: u64,
}

/// Runs all jobs, in the order in which they began.
pub(crate) fn replay(args: &ReplayArgs) -> Result<()> {
    let name = || args.folder.display().to_string();
    let files = Dump::files(&args.folder).with_context(name)?;
    let dumps = files.iter().map(|file| Dump::read(file)).collect::<std::io::Result<Vec<_>>>()?;
    let Some(first) = dumps.first() else { bail!("{}: there are no recorded jobs in it", name()) };
    let target = crate::processor(&first.job.target)?;
    let ranges = || dumps.iter().flat_map(|d| &d.mapped);
    let (low, high) = (ranges().map(|(a, _)| *a).min(), ranges().map(|(a, n)| a.saturating_add(*n)).max());
    let (Some(low), Some(high)) = (low, high) else { bail!("{}: no memory is mapped in its jobs", name()) };
    let config = DeviceConfig { threads: args.threads, gb_addr_config: args.gb_addr_config, ..Default::default() };
    let device = Device::window(low, high - low, config)?;
    let options = Options { max_insts: args.max_insts, ..Default::default() };
    let mut replay = Replay::new(device.clone(), Gpu::new(device, target, options)?);
    let mut differing = 0;
    for (file, dump) in files.iter().zip(&dumps) {
        let outcome = replay.run(dump).with_context(|| file.display().to_string())?;
        differing += usize::from(is_different(dump, &outcome));
        print(&describe(&file.file_name().unwrap_or_default().to_string_lossy(), dump, &outcome)?)?;
    }
    match differing {
        0 => Ok(()),
        n => bail!("{n} of {} jobs ended differently", dumps.len()),
    }
}

/// Has it ended in another way than it was recorded?
fn is_different(dump: &Dump, outcome: &Outcome) -> bool {
    !outcome.differences.is_empty() || outcome.is_stuck || outcome.failure.is_some() != dump.failure.is_some()
}

fn describe(file: &str, dump: &Dump, outcome: &Outcome) -> Result<String> {
    let Dump { job, before, after, .. } = dump;
    let mut text = format!(
        "{file}: context {}, {} ring {}, job {}: {} buffers, {} pages in, {} pages changed, {} dispatches so far",
        job.context,
        job.engine,
        job.ring,
        job.sequence,
        job.ibs.len(),
        before.len(),
        after.len(),
        outcome.dispatches
    );
    let Outcome { failure, is_stuck, differences, .. } = outcome;
    match (failure, is_stuck) {
        (Some(e), _) => write!(text, "; ended by {e}")?,
        (None, true) => write!(text, "; it waits for another ring or the host")?,
        (None, false) if differences.is_empty() => write!(text, "; same")?,
        (None, false) => {}
    }
    writeln!(text)?;
    if let Some(why) = &dump.failure
        && failure.is_none()
    {
        writeln!(text, "  recorded: {why}")?;
    }
    for (address, is, was) in differences.iter().take(LISTED) {
        writeln!(text, "  {address:#x}: {is:#010x}, recorded {was:#010x}")?;
    }
    if differences.len() > LISTED {
        writeln!(text, "  and {} dwords more", differences.len() - LISTED)?;
    }
    Ok(text)
}
