//! Runs `tests/filetests/*.txt`. Their form: [`wavejit_tests::filetest`].

use std::path::Path;

#[test]
fn filetests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let mut errors = String::new();
    let mut instructions = 0;
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "txt")) {
        let name = path.file_name().unwrap().to_string_lossy();
        match wavejit_tests::filetest::run_file(&name, &std::fs::read_to_string(path).unwrap()) {
            Ok(n) => instructions += n,
            Err(e) => errors += &e,
        }
    }
    assert!(errors.is_empty(), "\n{errors}");
    assert!(instructions >= 250, "only {instructions} instructions found in {}", folder.display());
}
