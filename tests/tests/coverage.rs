//! `docs/instructions.md` says what the rows say.

const FILE: &str = "docs/instructions.md";

#[test]
fn the_coverage_table_is_that_of_the_rows() {
    let path = wavejit_tests::root().join(FILE);
    let wanted = wavejit_tests::coverage::table();
    if std::env::var_os("WAVEJIT_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap_or_else(|e| panic!("{FILE}: {e}"));
    }
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = text.lines().zip(wanted.lines()).find(|(a, b)| a != b);
    assert!(text == wanted, "{FILE} is out of date ({differs:?}); WAVEJIT_BLESS=1 writes it");
}
