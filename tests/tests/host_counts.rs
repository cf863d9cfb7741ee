//! How much host code each kernel of `shaders/peers` becomes: `tests/golden/host_counts.txt`. No load of the machine changes these numbers, so
//! that a change of the back end shows what it does to all kernels, good or bad, as a difference of this file.
//!
//! Counted is the usual way through a kernel, without what rarely happens (stubs). `gathers` are accesses lane by lane among it, `calls` those of
//! row functions and helpers, `loads` and `stores` vector moves from and to the registers of the wave: what a register allocation could not keep.

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};
use wavejit::code_object::CodeObject;
use wavejit_ir::Ids;
use wavejit_jit::emit::{EmitOptions, Isa, wide_code};
use wavejit_jit::lift::{LiftSource, lift};
use wavejit_jit::opt;
use wavejit_tests::peers::{PEERS, Size};

const FILE: &str = "tests/golden/host_counts.txt";
/// The host's register that has the address of the wave's registers (`jit/src/emit/wide/mod.rs`).
const ROWS: Register = Register::R12;

/// What is counted of a kernel.
#[derive(Default)]
struct Counts {
    guest: u32,
    host: u32,
    calls: u32,
    gathers: u32,
    loads: u32,
    stores: u32,
    usual_bytes: usize,
    bytes: usize,
}

impl Counts {
    /// Of a kernel, compiled as for the workgroups it is launched with.
    fn of(name: &str, isa: Isa) -> Counts {
        let peer = PEERS.iter().find(|p| p.name == name).expect("a kernel of the table");
        let case = peer.case(Size::Small);
        let path = wavejit_tests::root().join(format!("shaders/bin/peers/{name}.gfx1100.wave32.hsaco"));
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let object = CodeObject::load(&bytes).expect("a code object");
        let kernel = object.kernels().iter().find(|k| k.name == case.kernel).expect("its kernel");
        let image = object.image(0).expect("its code");
        let mut func = lift(&LiftSource {
            name: &kernel.name,
            entry: kernel.code_address,
            target: kernel.target,
            wave_size: kernel.wave_size,
            mode: kernel.descriptor.rsrc.fp_mode(kernel.target),
            vgprs: kernel.descriptor.rsrc.allocated_vgprs(kernel.target, kernel.wave_size),
            read: &|address| image.dword(address),
        });
        func.ids = Ids::of(true, kernel.wave_size, case.group, [0; 3]);
        opt::run(&mut func, isa.passes(false));
        let code = wide_code(&func, &EmitOptions { isa, gathers: Some(false), ..EmitOptions::default() }).expect("it compiles");
        let mut counts = Counts { guest: func.guest_insts(), usual_bytes: code.usual_bytes, bytes: code.bytes.len(), ..Counts::default() };
        for i in &mut Decoder::new(64, &code.bytes[..code.usual_bytes], DecoderOptions::NONE) {
            counts.add(&i);
        }
        counts
    }

    fn add(&mut self, i: &Instruction) {
        assert_ne!(i.code(), Code::INVALID);
        self.host += 1;
        self.calls += u32::from(matches!(i.flow_control(), FlowControl::Call | FlowControl::IndirectCall));
        let name = format!("{:?}", i.mnemonic()).to_lowercase();
        self.gathers += u32::from(name.contains("gather") || name.contains("scatter"));
        if matches!(i.mnemonic(), Mnemonic::Vmovdqu | Mnemonic::Vmovdqu32) && i.memory_base() == ROWS {
            *(if i.op0_kind() == OpKind::Memory { &mut self.stores } else { &mut self.loads }) += 1;
        }
    }
}

#[test]
fn host_code_is_as_much_as_it_was() {
    let mut wanted = String::from(
        "# Made by WAVEJIT_BLESS=1 cargo test -p wavejit-tests --test host_counts. Columns: instructions of the guest and of the host, the latter for\n\
         # each of the former, calls, gathers and scatters, vector loads and stores of the wave's registers, bytes of the usual way and of all.\n\
         # kernel          level   guest   host  ratio calls gathers loads stores  usual    all\n",
    );
    for peer in PEERS {
        for (isa, level) in [(Isa::Avx512, "avx512"), (Isa::Avx2, "avx2")] {
            let c = Counts::of(peer.name, isa);
            wanted += &format!(
                "{:<17} {level:<7} {:>6} {:>6} {:>6.2} {:>5} {:>7} {:>5} {:>6} {:>6} {:>6}\n",
                peer.name,
                c.guest,
                c.host,
                f64::from(c.host) / f64::from(c.guest),
                c.calls,
                c.gathers,
                c.loads,
                c.stores,
                c.usual_bytes,
                c.bytes
            );
        }
    }
    let path = wavejit_tests::root().join(FILE);
    if std::env::var_os("WAVEJIT_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap_or_else(|e| panic!("{FILE}: {e}"));
    }
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let differs: Vec<String> = text.lines().zip(wanted.lines()).filter(|(a, b)| a != b).map(|(a, b)| format!("was {a}\nis  {b}")).collect();
    assert!(text == wanted, "{FILE} differs; if that is meant, WAVEJIT_BLESS=1 writes it anew:\n{}", differs.join("\n"));
}
