//! Bytes written in hexadecimal, as people paste them: bytes, dwords of a log or a listing, C arrays.
//!
//! ```text
//! 01 02 04 7e                    two digits: a byte; bytes stand in memory order
//! 0x7e040201, 7e040201           eight digits: a dword, lowest byte last, as logs and llvm-objdump print it
//! 0xbfb000007e040201             sixteen digits behind 0x: two dwords, lowest byte last
//! 010204 7e, 0102047e01          other even numbers of digits: bytes in memory order
//! 0010: 7e040201                 an address before a colon is left out
//! /*0010*/ {0x7e040201u,} // v   so are comments, brackets, commas and suffixes of C
//! v_mov_b32 v2, s1 // 0010: 7E040201
//!                                where text stands before a comment that is code, the comment counts
//! ```

use anyhow::{Result, bail};

/// What the help says about hexadecimal code.
pub(crate) const SYNTAX: &str = "\
Hexadecimal code:
  01 02 04 7e              two digits are a byte; bytes stand in memory order
  7e040201, 0x7e040201     eight are a dword as logs and listings print it, lowest byte last
  0010: 7e040201 // v_mov  addresses before a colon, comments, commas and brackets are left out";

/// What a group of eight digits without `0x` is, if it stands alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Alone {
    /// A dword, as in logs of code.
    Dword,
    /// Four bytes in memory order, as other lone groups.
    Bytes,
}

/// The bytes of a line of code.
pub(crate) fn line_bytes(line: &str) -> Result<Vec<u8>> {
    let (code, comment) = split_comments(line);
    let found = groups(&code, Alone::Dword);
    if found.is_err()
        && let Ok(bytes) = groups(&comment, Alone::Dword)
        && !bytes.is_empty()
    {
        return Ok(bytes);
    }
    found
}

/// The bytes of a value.
pub(crate) fn value_bytes(text: &str) -> Result<Vec<u8>> {
    groups(&split_comments(text).0, Alone::Bytes)
}

/// A line without its comments, and the comment at its end.
fn split_comments(line: &str) -> (String, String) {
    let mut code = String::new();
    let mut rest = line;
    loop {
        let end = ["//", ";", "#"].iter().filter_map(|mark| rest.find(mark).map(|at| (at, mark.len()))).min();
        match (rest.find("/*"), end) {
            (Some(start), end) if end.is_none_or(|e| start < e.0) => {
                code.push_str(&rest[..start]);
                code.push(' ');
                // A comment that is not closed reaches to the end of the line.
                rest = rest[start + 2..].split_once("*/").map_or("", |r| r.1);
            }
            (_, Some((at, len))) => {
                code.push_str(&rest[..at]);
                return (code, rest[at + len..].to_string());
            }
            _ => {
                code.push_str(rest);
                return (code, String::new());
            }
        }
    }
}

/// Bytes of groups of digits.
fn groups(text: &str, alone: Alone) -> Result<Vec<u8>> {
    let is_break = |c: char| c.is_whitespace() || ",[]{}()\"'".contains(c);
    let mut words = Vec::new();
    for word in text.split(is_break).filter(|w| !w.is_empty()) {
        match word.split_once(':') {
            None => words.push(word),
            Some((address, "")) if is_hex(address.trim_start_matches("0x")) => {}
            Some((address, code)) if is_hex(address.trim_start_matches("0x")) => words.push(code),
            Some(_) => bail!("`{word}`: expected a hexadecimal address before the colon"),
        }
    }
    let lone = words.len() == 1;
    let mut bytes = Vec::new();
    for word in words {
        let (digits, is_number) = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
            Some(digits) => (digits.trim_end_matches(['u', 'U', 'l', 'L']), true),
            None => (word, false),
        };
        if !is_hex(digits) {
            bail!("`{word}` is not hexadecimal: expected bytes such as 01 ff, or dwords such as 0x7e040201");
        }
        if !digits.len().is_multiple_of(2) {
            bail!("`{word}` has {} digits: expected two for a byte or eight for a dword", digits.len());
        }
        let start = bytes.len();
        bytes.extend(digits.as_bytes().chunks(2).map(|pair| (digit(pair[0]) << 4) | digit(pair[1])));
        let is_dword = match digits.len() {
            8 => is_number || !lone || alone == Alone::Dword,
            16 => is_number,
            _ => false,
        };
        if is_dword {
            bytes[start..].reverse();
        }
    }
    Ok(bytes)
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn digit(b: u8) -> u8 {
    (b as char).to_digit(16).unwrap_or(0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// v_mov_b32 v2, s1.
    const CODE: [u8; 4] = [0x01, 0x02, 0x04, 0x7e];

    #[test]
    fn lines_of_logs_and_listings_are_the_same_bytes() {
        let lines = [
            "01 02 04 7e",
            "0x01,0x02,0x04,0x7e",
            "[0x01, 0x02, 0x04, 0x7e]",
            "7e040201",
            "7E040201",
            "0x7e040201",
            "0X7E040201u,",
            "0010: 7e040201",
            "0x10: 0x7e040201",
            "000000002804:7E040201",
            "\t0000: 01 02 04 7e  // v_mov_b32",
            "/*000000000010*/ 7e040201 ; v_mov_b32",
            "7e040201 /* v_mov_b32 v2, s1",
            "/* a */ 01 02 /* b */ 04 7e # c",
            "\tv_mov_b32_e32 v2, s1                     // 000000002804: 7E040201",
            "v_mov_b32_e32 v2, s1 ; 7e040201",
        ];
        for line in lines {
            assert_eq!(line_bytes(line).unwrap(), CODE, "{line}");
        }
        let two = [0x00, 0x00, 0x04, 0xf4, 0x00, 0x00, 0x00, 0xf8];
        for line in ["f4040000 f8000000", "0xf4040000, 0xf8000000", "0xf8000000f4040000", "00 00 04 f4 00 00 00 f8", "000004f4000000f8"] {
            assert_eq!(line_bytes(line).unwrap(), two, "{line}");
        }
    }

    #[test]
    fn a_value_alone_is_in_memory_order_unless_it_is_a_number() {
        assert_eq!(value_bytes("0011aabb").unwrap(), [0x00, 0x11, 0xaa, 0xbb]);
        assert_eq!(value_bytes("0x0011aabb").unwrap(), [0xbb, 0xaa, 0x11, 0x00]);
        assert_eq!(value_bytes("0011aabb 00000001").unwrap(), [0xbb, 0xaa, 0x11, 0x00, 1, 0, 0, 0]);
        assert_eq!(value_bytes("0x01 ff").unwrap(), [1, 255]);
        assert!(value_bytes("").unwrap().is_empty());
    }

    #[test]
    fn what_is_not_hexadecimal_is_named() {
        let message = |text: &str| line_bytes(text).unwrap_err().to_string();
        assert_eq!(message("7e04 020"), "`020` has 3 digits: expected two for a byte or eight for a dword");
        assert!(message("s_endpgm").starts_with("`s_endpgm` is not hexadecimal: expected bytes such as 01 ff"));
        assert!(message("s_endpgm // the end").starts_with("`s_endpgm` is not hexadecimal"));
        assert!(message("start: 7e040201").starts_with("`start:`: expected a hexadecimal address"));
        assert!(message("0x").starts_with("`0x` is not hexadecimal"));
        assert!(line_bytes("// 7e040201").unwrap().is_empty(), "a comment alone is a comment");
    }
}
