//! A ring of PM4 packets.

use crate::error::{Error, Place, Refusal};
use crate::packet::{Does, Flow, Header, Kind, Rings, kind};
use crate::raster::{Packers, Rasterizer};
use crate::registers::RegisterFile;
use crate::shaders::Shaders;
use crate::state::DrawState;
use crate::stream::{Ib, Stream, read_dwords};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use wavejit::{AddressSpace, Device};
use wavejit_isa::{Feature, Gfx};

/// Which ring it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Engine {
    /// Draws and dispatches.
    Graphics,
    /// Dispatches.
    Compute,
    /// Copies.
    Sdma,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Engine::Graphics => "graphics",
            Engine::Compute => "compute",
            Engine::Sdma => "SDMA",
        })
    }
}

/// What a caller decides about all rings of a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Guest instructions that a wave may run before its dispatch is an error; 0: any number.
    pub max_insts: u64,
    /// Render backends, each of which has a place in the memory of an occlusion query.
    pub render_backends: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { max_insts: 0, render_backends: 2 }
    }
}

/// The device that rings run on. Cheap to clone; clones are the same.
#[derive(Clone)]
pub struct Gpu(Arc<GpuInner>);

pub(crate) struct GpuInner {
    pub device: Device,
    pub target: Gfx,
    pub options: Options,
    pub shaders: Shaders,
    /// Not 0: whatever runs is to end.
    pub stop: AtomicU32,
    /// Of pixel waves.
    pub packers: Packers,
}

impl Gpu {
    /// A device whose programs are for this processor. An error if its code does not run.
    pub fn new(device: Device, target: Gfx, options: Options) -> Result<Gpu, wavejit::Error> {
        if !target.has(Feature::Runs) {
            return Err(wavejit::Error::Unsupported(format!("{target}: only gfx11 code runs so far")));
        }
        Ok(Gpu(Arc::new(GpuInner {
            device,
            target,
            options,
            shaders: Shaders::default(),
            stop: AtomicU32::new(0),
            packers: Packers::default(),
        })))
    }

    pub(crate) fn inner(&self) -> &GpuInner {
        &self.0
    }

    /// Has dispatches that run, or that start, end with an error, until it is called again with `false`: for a watchdog, as a chip that is reset
    /// after a time.
    pub fn stop(&self, stops: bool) {
        self.0.stop.store(u32::from(stops), Ordering::Relaxed);
    }

    /// Guest memory.
    pub fn memory(&self) -> &AddressSpace {
        self.0.device.memory()
    }
}

/// How a run of a ring ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Everything is done.
    Done,
    /// It waits for a value in memory; to be run again later.
    Waiting,
}

/// A ring: its registers, and what is to be run.
pub struct Ring {
    pub(crate) gpu: Gpu,
    pub(crate) engine: Engine,
    pub(crate) registers: RegisterFile,
    pub(crate) draw: DrawState,
    pub(crate) raster: Rasterizer,
    /// Where arguments of indirect packets are: SET_BASE 1.
    pub(crate) indirect_base: u64,
    /// Are predicated packets left out?
    pub(crate) skips_predicated: bool,
    /// Invocations of compute shaders, while statistics are counted.
    pub(crate) compute_invocations: u64,
    pub(crate) counts_statistics: bool,
    /// Dispatches so far.
    pub(crate) dispatches: u64,
    stream: Stream,
    body: Vec<u32>,
}

impl Ring {
    /// A ring in its initial state.
    ///
    /// # Panics
    /// If the engine is that of an [`SdmaRing`](crate::SdmaRing).
    pub fn new(gpu: Gpu, engine: Engine) -> Ring {
        assert_ne!(engine, Engine::Sdma, "the copy engine has packets of its own");
        Ring {
            gpu,
            engine,
            registers: RegisterFile::new(),
            draw: DrawState::default(),
            raster: Rasterizer::default(),
            indirect_base: 0,
            skips_predicated: false,
            compute_invocations: 0,
            counts_statistics: true,
            dispatches: 0,
            stream: Stream::default(),
            body: Vec::new(),
        }
    }

    /// Its registers.
    pub fn registers(&self) -> &RegisterFile {
        &self.registers
    }

    /// Has an indirect buffer run, after all that were started before.
    pub fn start(&mut self, address: u64, dwords: u32) {
        self.stream.start(Ib::new(address, dwords));
    }

    /// Runs what was started. After an error the rest of it is forgotten.
    pub fn run(&mut self) -> Result<Progress, Error> {
        let result = self.run_packets();
        if result.is_err() {
            self.stream.clear();
        }
        result
    }

    fn run_packets(&mut self) -> Result<Progress, Error> {
        while let Some(ib) = self.stream.current() {
            let mut name = None;
            match self.step(&ib, &mut name) {
                Ok(true) => {}
                Ok(false) => return Ok(Progress::Waiting),
                Err(why) => {
                    let packet = match name {
                        Some(name) => String::from(name),
                        None => self.gpu.memory().read_u32(ib.at).map_or("packet".into(), |header| format!("packet {header:#010x}")),
                    };
                    return Err(Error { place: Place { engine: self.engine, address: ib.at, ib: ib.base, packet }, why });
                }
            }
        }
        Ok(Progress::Done)
    }

    /// Does a packet; false: it waits. `name` is set as soon as it is known.
    fn step(&mut self, ib: &Ib, name: &mut Option<&'static str>) -> Result<bool, Refusal> {
        let mut body = std::mem::take(&mut self.body);
        read_dwords(self.gpu.memory(), ib.at, 1, &mut body)?;
        let Header::Packet { opcode, body: dwords, is_predicated } = Header::parse(body[0])? else {
            self.body = body;
            return self.stream.advance(1).map(|()| true);
        };
        let kind = kind(opcode).ok_or_else(|| Refusal::new(format!("opcode {opcode:#x} is not known")))?;
        *name = Some(kind.name);
        self.check(kind, dwords)?;
        // Before it acts, so that a call finds where to go on.
        self.stream.advance(1 + u64::from(dwords))?;
        let is_left_out = is_predicated && self.skips_predicated;
        let flow = match kind.does {
            _ if is_left_out => Flow::Next,
            Does::Nothing => Flow::Next,
            Does::Refused(why) => return Err(Refusal::new(why)),
            Does::Act(handler) => {
                read_dwords(self.gpu.memory(), ib.at + 4, dwords as usize, &mut body)?;
                handler(self, &body)?
            }
        };
        self.body = body;
        match flow {
            Flow::Next => {}
            Flow::Wait => {
                self.stream.rewind(ib);
                return Ok(false);
            }
            Flow::Skip(dwords) => self.stream.advance(u64::from(dwords))?,
            Flow::Call(ib) => self.stream.call(ib)?,
            Flow::Chain(ib) => self.stream.chain(ib)?,
        }
        Ok(true)
    }

    /// Does this ring have such a packet, of such a length?
    fn check(&self, kind: &Kind, dwords: u32) -> Result<(), Refusal> {
        if kind.rings == Rings::Graphics && self.engine != Engine::Graphics {
            return Err(Refusal::new("only the graphics ring has it"));
        }
        let (least, most) = kind.body;
        if !(least..=most).contains(&dwords) {
            return Err(Refusal::new(format!("a body of {dwords} dwords: expected {least} to {most}")));
        }
        Ok(())
    }
}
