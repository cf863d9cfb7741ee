//! `tests/REQUIREMENTS.md` and the tests agree: every id that a test source cites is listed there, with that source, and the other way round.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Prefixes of requirement ids.
const GROUPS: [&str; 12] = ["STATE", "INIT", "LDS", "TRAP", "MSG", "TIME", "IMG", "BVH", "BUF", "GCN", "AUX", "MEM"];

const LIST: &str = "tests/REQUIREMENTS.md";

#[test]
fn cited_ids_are_listed_and_listed_ids_are_cited() {
    let root = wavejit_tests::root();
    let mut cited: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for folder in ["tests/src", "tests/tests", "tests/filetests", "jit", "runtime", "texture", "shaders"] {
        for file in files(&root.join(folder)) {
            let name = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            for id in ids(tests_of(&name, &text)) {
                cited.entry(id).or_default().insert(name.clone());
            }
        }
    }
    let text = std::fs::read_to_string(root.join(LIST)).unwrap_or_else(|e| panic!("{LIST}: {e}"));
    let wanted = with_files(&text, &cited);
    if std::env::var_os("WAVEJIT_BLESS").is_some() {
        std::fs::write(root.join(LIST), &wanted).unwrap_or_else(|e| panic!("{LIST}: {e}"));
    } else {
        assert!(text == wanted, "{LIST} should be as follows; WAVEJIT_BLESS=1 writes it:\n{wanted}");
    }
    let listed = text.lines().filter_map(row).map(|(id, _)| id.to_string()).collect::<Vec<_>>();
    let missing: Vec<_> = cited.keys().filter(|id| !listed.contains(id)).collect();
    assert!(missing.is_empty(), "cited, but without a line in {LIST}: {missing:?}");
    let idle: Vec<_> = listed.iter().filter(|id| !cited.contains_key(*id)).collect();
    assert!(idle.is_empty(), "listed in {LIST}, but no test cites them: {idle:?}");
}

/// The list with its last column filled in from `cited`.
fn with_files(text: &str, cited: &BTreeMap<String, BTreeSet<String>>) -> String {
    let fill = |line: &str| match row(line) {
        Some((id, words)) => {
            let places = cited.get(id).map(|p| p.iter().map(|f| format!("`{f}`")).collect::<Vec<_>>().join(", ")).unwrap_or_default();
            format!("| {id} | {words} | {places} |\n")
        }
        None => format!("{line}\n"),
    };
    text.lines().map(fill).collect()
}

/// Id and words of a table row.
fn row(line: &str) -> Option<(&str, &str)> {
    let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
    let (id, words) = (cells.next()?, cells.next()?);
    (ids(id).first().map(String::as_str) == Some(id)).then_some((id, words))
}

/// The part of a file whose citations count: tests, their data, kernels. In the code under test a citation is only a comment.
fn tests_of<'a>(name: &str, text: &'a str) -> &'a str {
    if name.starts_with("shaders/bin") || name == "tests/tests/requirements.rs" {
        ""
    } else if name.starts_with("tests/") || name.starts_with("shaders/") || name.contains("/tests/") || name.ends_with("tests.rs") {
        text
    } else {
        text.find("#[cfg(test)]\nmod tests {").map_or("", |at| &text[at..])
    }
}

/// Ids in a text: a group, a dash, two digits, and nothing that would make it another word.
fn ids(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for group in GROUPS {
        for (at, _) in text.match_indices(group) {
            let before = text[..at].chars().next_back();
            let mut rest = text[at + group.len()..].chars();
            let digits: String = match rest.next() {
                Some('-') => rest.by_ref().take_while(char::is_ascii_digit).collect(),
                _ => continue,
            };
            if digits.len() == 2 && !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-') {
                out.push(format!("{group}-{digits}"));
            }
        }
    }
    out
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.into_iter().flat_map(|p| if p.is_dir() { files(&p) } else { vec![p] }).collect()
}
