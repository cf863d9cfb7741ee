//! `docs/requirements.md` and the tests agree: every id that a source cites is listed there, and each line names the tests that cite it, or
//! says what is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Prefixes of requirement ids.
const GROUPS: [&str; 12] = ["STATE", "INIT", "LDS", "TRAP", "MSG", "TIME", "IMG", "BVH", "BUF", "GCN", "AUX", "MEM"];

const LIST: &str = "docs/requirements.md";

/// How the last cell of a line begins that no test cites.
const UNCITED: &str = "none yet: ";

#[test]
fn cited_ids_are_listed_and_listed_ids_are_cited() {
    let root = wavejit_tests::root();
    let mut cited: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut named = BTreeSet::new();
    for folder in ["tests/src", "tests/tests", "tests/filetests", "jit", "runtime", "texture", "shaders"] {
        for file in files(&root.join(folder)) {
            let name = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            if name == "tests/tests/requirements.rs" {
                continue;
            }
            named.extend(ids(&text));
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
    let listed: Vec<&str> = text.lines().filter_map(row).map(|r| r.id).collect();
    let unique: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(unique.len(), listed.len(), "an id has two lines in {LIST}");
    let missing: Vec<_> = named.iter().filter(|id| !unique.contains(id.as_str())).collect();
    assert!(missing.is_empty(), "cited, but without a line in {LIST}: {missing:?}");
    let without_a_reason = text.lines().filter_map(row).filter(|r| !cited.contains_key(r.id) && r.places.strip_prefix(UNCITED).is_none());
    let idle: Vec<_> = without_a_reason.map(|r| r.id).collect();
    assert!(idle.is_empty(), "no test cites them, and {LIST} does not say `{UNCITED}` and what is missing: {idle:?}");
}

/// The list with its last column filled in from `cited`; ids that no test cites keep what stands there.
fn with_files(text: &str, cited: &BTreeMap<String, BTreeSet<String>>) -> String {
    let fill = |line: &str| match row(line) {
        Some(Row { id, words, places }) => match cited.get(id) {
            Some(files) => {
                let files: Vec<_> = files.iter().map(|f| format!("`{f}`")).collect();
                format!("| {id} | {words} | {} |\n", files.join(", "))
            }
            None => format!("| {id} | {words} | {places} |\n"),
        },
        None => format!("{line}\n"),
    };
    text.lines().map(fill).collect()
}

/// A line of the list.
struct Row<'a> {
    id: &'a str,
    words: &'a str,
    /// Files with tests that cite it, or what is missing.
    places: &'a str,
}

/// The line as a row of the list, if it is one.
fn row(line: &str) -> Option<Row<'_>> {
    let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
    let (id, words, places) = (cells.next()?, cells.next()?, cells.next()?);
    (ids(id).first().map(String::as_str) == Some(id)).then_some(Row { id, words, places })
}

/// The part of a file whose citations count: tests, their data, kernels. In the code under test a citation is only a comment.
fn tests_of<'a>(name: &str, text: &'a str) -> &'a str {
    if name.starts_with("shaders/bin") {
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
