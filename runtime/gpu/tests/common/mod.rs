//! Indirect buffers made in tests, and a device to run them on.

#![allow(dead_code)] // each test uses its part

use wavejit::{Buffer, Device, DeviceConfig};
use wavejit_gpu::{Engine, Error, Gpu, Options, Progress, Ring};
use wavejit_isa::{Gfx, assemble};

/// COMPUTE_PGM_RSRC1 of small shaders: 32 VGPRs, FLOAT_MODE 0xf0 with DX10_CLAMP and no IEEE.
pub(crate) const RSRC1: u32 = 3 | 0xf0 << 12 | 1 << 21;

/// Byte addresses of registers.
pub(crate) mod reg {
    pub(crate) const COMPUTE_START_X: u32 = 0xb810;
    pub(crate) const COMPUTE_NUM_THREAD_X: u32 = 0xb81c;
    pub(crate) const COMPUTE_PGM_LO: u32 = 0xb830;
    pub(crate) const COMPUTE_PGM_RSRC1: u32 = 0xb848;
    pub(crate) const COMPUTE_TMPRING_SIZE: u32 = 0xb860;
    pub(crate) const COMPUTE_USER_DATA: u32 = 0xb900;
}

/// Bits of a dispatch initiator.
pub(crate) mod init {
    pub(crate) const ENABLE: u32 = 1;
    pub(crate) const PARTIAL: u32 = 1 << 1;
    pub(crate) const FROM_ZERO: u32 = 1 << 2;
    pub(crate) const WORK_ITEMS: u32 = 1 << 5;
    pub(crate) const IN_ORDER: u32 = 1 << 6;
    pub(crate) const WAVE32: u32 = 1 << 15;
}

/// An indirect buffer that is being written.
#[derive(Clone, Default)]
pub(crate) struct Ib(pub(crate) Vec<u32>);

impl Ib {
    pub(crate) fn packet(&mut self, opcode: u8, body: &[u32]) -> &mut Ib {
        self.raw(opcode, 0, body)
    }

    /// One that obeys the predicate.
    pub(crate) fn predicated(&mut self, opcode: u8, body: &[u32]) -> &mut Ib {
        self.raw(opcode, 1, body)
    }

    fn raw(&mut self, opcode: u8, flags: u32, body: &[u32]) -> &mut Ib {
        self.0.push(3 << 30 | (body.len() as u32 - 1) << 16 | u32::from(opcode) << 8 | flags);
        self.0.extend_from_slice(body);
        self
    }

    /// SET_SH_REG from a byte address on.
    pub(crate) fn sh(&mut self, address: u32, values: &[u32]) -> &mut Ib {
        self.packet(0x76, &[&[(address - 0xb000) / 4], values].concat())
    }

    /// WRITE_DATA to memory.
    pub(crate) fn write(&mut self, address: u64, data: &[u32]) -> &mut Ib {
        self.packet(0x37, &[&[5 << 8 | 1 << 20, address as u32, (address >> 32) as u32], data].concat())
    }

    /// The registers of a compute shader with user SGPRs and three workgroup ids.
    pub(crate) fn shader(&mut self, entry: u64, user_data: &[u32], group: [u32; 3]) -> &mut Ib {
        self.sh(reg::COMPUTE_PGM_LO, &[(entry >> 8) as u32, (entry >> 40) as u32]);
        self.sh(reg::COMPUTE_PGM_RSRC1, &[RSRC1, (user_data.len() as u32) << 1 | 7 << 7 | 2 << 11]);
        if !user_data.is_empty() {
            self.sh(reg::COMPUTE_USER_DATA, user_data);
        }
        self.sh(reg::COMPUTE_NUM_THREAD_X, &group)
    }

    /// DISPATCH_DIRECT.
    pub(crate) fn dispatch(&mut self, sizes: [u32; 3], initiator: u32) -> &mut Ib {
        self.packet(0x15, &[sizes[0], sizes[1], sizes[2], initiator])
    }
}

pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

pub(crate) fn halves(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

/// A device, and what was made on it.
pub(crate) struct Setup {
    pub(crate) device: Device,
    pub(crate) gpu: Gpu,
    kept: Vec<Buffer>,
}

impl Setup {
    pub(crate) fn new() -> Setup {
        Setup::with(Options::default())
    }

    pub(crate) fn with(options: Options) -> Setup {
        let device = Device::new(DeviceConfig { engine: wavejit::Engine::Jit, threads: 2, ..Default::default() }).expect("a device");
        let gpu = Gpu::new(device.clone(), Gfx::GFX1100, options).expect("gfx1100 runs");
        Setup { device, gpu, kept: vec![] }
    }

    pub(crate) fn ring(&self, engine: Engine) -> Ring {
        Ring::new(self.gpu.clone(), engine)
    }

    /// Memory with these dwords, which stays until the end.
    pub(crate) fn put(&mut self, words: &[u32]) -> u64 {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let buffer = self.device.upload(&bytes).expect("memory");
        self.kept.push(buffer);
        self.kept.last().expect("just pushed").address()
    }

    /// Zeroed dwords.
    pub(crate) fn zeros(&mut self, dwords: usize) -> u64 {
        self.put(&vec![0; dwords])
    }

    pub(crate) fn code(&mut self, text: &str) -> u64 {
        let code = assemble(text, Gfx::GFX1100, 32).expect("it assembles").bytes;
        self.put(&words(&code))
    }

    pub(crate) fn read(&self, address: u64, dwords: usize) -> Vec<u32> {
        let mut bytes = vec![0; 4 * dwords];
        self.gpu.memory().read(address, &mut bytes).expect("it is mapped");
        words(&bytes)
    }

    /// Runs an IB on a ring.
    pub(crate) fn run_on(&mut self, ring: &mut Ring, ib: &Ib) -> Result<Progress, Error> {
        let at = self.put(&ib.0);
        ring.start(at, ib.0.len() as u32);
        ring.run()
    }

    /// Runs an IB on a new ring to its end.
    pub(crate) fn run(&mut self, engine: Engine, ib: &Ib) {
        let mut ring = self.ring(engine);
        assert_eq!(self.run_on(&mut ring, ib).expect("it runs"), Progress::Done);
    }

    /// The message of the error that an IB ends in.
    pub(crate) fn error(&mut self, engine: Engine, ib: &Ib) -> String {
        let mut ring = self.ring(engine);
        self.run_on(&mut ring, ib).expect_err("it is refused").to_string()
    }
}
