//! hiprtc: with a clang of the machine kernels are compiled and run; without one the log says what to install.

mod common;

use amdhip64::hiprtc::{self, RtcStatus};
use amdhip64::status::Status;
use amdhip64::{launch, module};
use common::{NULL, download, upload};
use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::process::Command;
use std::ptr::{null, null_mut};

const SOURCE: &CStr = c"#include \"factor.h\"\ntemplate <typename T> __global__ void scale(T *x) { x[threadIdx.x] *= FACTOR * MORE; }\n__constant__ float table[4];\n";
const HEADER: &CStr = c"#define FACTOR 3\n";

fn get<T>(call: impl FnOnce(amdhip64::abi::Out<T>) -> RtcStatus) -> Result<T, RtcStatus> {
    let mut place = MaybeUninit::uninit();
    match call(Some(&mut place)) {
        // SAFETY: the function has succeeded.
        RtcStatus::SUCCESS => Ok(unsafe { place.assume_init() }),
        other => Err(other),
    }
}

fn program(source: &CStr) -> *mut c_void {
    let (texts, names) = ([HEADER.as_ptr()], [c"factor.h".as_ptr()]);
    get(|out| hiprtc::hiprtcCreateProgram(out, source.as_ptr(), c"scale.cu".as_ptr(), 1, texts.as_ptr(), names.as_ptr()))
        .expect("a program")
}

fn compile(program: *mut c_void, options: &[&CStr]) -> RtcStatus {
    let options: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
    hiprtc::hiprtcCompileProgram(program, options.len() as i32, options.as_ptr())
}

fn log(program: *mut c_void) -> String {
    let bytes = get(|out| hiprtc::hiprtcGetProgramLogSize(program, out)).expect("a size");
    let mut text = vec![0u8; bytes];
    assert_eq!(hiprtc::hiprtcGetProgramLog(program, text.as_mut_ptr().cast()), RtcStatus::SUCCESS);
    CStr::from_bytes_with_nul(&text).expect("ends with NUL").to_string_lossy().into_owned()
}

/// Compiles, unless the machine lacks what that needs.
fn compile_here(program: *mut c_void, options: &[&CStr]) -> bool {
    match compile(program, options) {
        RtcStatus::SUCCESS => true,
        RtcStatus::COMPILATION if log(program).contains("install it with") => {
            println!("not tested: {}", log(program));
            false
        }
        other => panic!("{other:?}: {}", log(program)),
    }
}

#[test]
fn a_template_is_compiled_named_and_run() {
    let program = program(SOURCE);
    let names = [c"scale<float>", c"&table"];
    for name in names {
        assert_eq!(hiprtc::hiprtcAddNameExpression(program, name.as_ptr()), RtcStatus::SUCCESS);
    }
    assert_eq!(
        get(|out| hiprtc::hiprtcGetLoweredName(program, names[0].as_ptr(), out)),
        Err(RtcStatus::NO_LOWERED_NAMES_BEFORE_COMPILATION)
    );
    if !compile_here(program, &[c"--gpu-architecture=gfx1100", c"-DMORE=2", c"-O2"]) {
        return;
    }
    assert_eq!(hiprtc::hiprtcAddNameExpression(program, c"x".as_ptr()), RtcStatus::NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    let name = |i: usize| get(|out| hiprtc::hiprtcGetLoweredName(program, names[i].as_ptr(), out)).expect("a name");
    // SAFETY: a text that stays as long as the program.
    let text = |i: usize| unsafe { CStr::from_ptr(name(i)) }.to_str().expect("text").to_string();
    assert_eq!([text(0), text(1)], ["_Z5scaleIfEvPT_", "table"]);
    assert_eq!(get(|out| hiprtc::hiprtcGetLoweredName(program, c"scale<int>".as_ptr(), out)), Err(RtcStatus::NAME_EXPRESSION_NOT_VALID));
    let mut code = vec![0u8; get(|out| hiprtc::hiprtcGetCodeSize(program, out)).expect("code")];
    assert_eq!(hiprtc::hiprtcGetCode(program, code.as_mut_ptr().cast()), RtcStatus::SUCCESS);
    let loaded = common::get(|out| module::hipModuleLoadData(out, code.as_ptr().cast()));
    let kernel = common::get(|out| module::hipModuleGetFunction(out, loaded, name(0)));
    let x = upload(&[1.0, 2.0, 3.0, 4.0]);
    let args = [(&raw const x).cast_mut().cast::<c_void>()];
    assert_eq!(launch::hipModuleLaunchKernel(kernel, 1, 1, 1, 4, 1, 1, 0, NULL, args.as_ptr(), null()), Status::SUCCESS);
    assert_eq!(download(x, 4), [6.0, 12.0, 18.0, 24.0]);
    let mut handle = program;
    assert_eq!(hiprtc::hiprtcDestroyProgram(Some(&mut handle)), RtcStatus::SUCCESS);
    assert_eq!((handle, compile(program, &[])), (null_mut(), RtcStatus::INVALID_PROGRAM));
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let program = program(c"__global__ void f() {\n  nonsense();\n}\n");
    if compile(program, &[]) == RtcStatus::COMPILATION && log(program).contains("install it with") {
        return;
    }
    let text = log(program);
    assert!(text.contains("scale.cu:2:3: error: use of undeclared identifier 'nonsense'"), "{text}");
    assert_eq!(get(|out| hiprtc::hiprtcGetCodeSize(program, out)), Err(RtcStatus::INVALID_PROGRAM));
    // SAFETY: a constant.
    let name = unsafe { CStr::from_ptr(hiprtc::hiprtcGetErrorString(RtcStatus::COMPILATION)) };
    assert_eq!(name, c"HIPRTC_ERROR_COMPILATION");
}

#[test]
fn a_missing_clang_is_named() {
    let test = std::env::current_exe().expect("this test is a file");
    let run = Command::new(test).args(["--exact", "child_without_clang", "--ignored"]).env("WAVEJIT_CLANG", "/nonexistent/clang").output();
    let run = run.expect("it starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
}

#[test]
#[ignore = "run by a_missing_clang_is_named"]
fn child_without_clang() {
    let program = program(SOURCE);
    assert_eq!(compile(program, &[]), RtcStatus::COMPILATION);
    assert!(log(program).contains("/nonexistent/clang, which does not run"), "{}", log(program));
}
