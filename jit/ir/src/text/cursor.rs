//! One line of a text, being read: words, numbers, values, registers, and what was expected where something else stands.

use crate::{BlockId, SReg, VReg, Value};

/// Why a text is not a function.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: expected {expected}, found {found}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// What could have stood there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

/// A place in a line.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    line: usize,
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(line: usize, text: &'a str) -> Cursor<'a> {
        Cursor { line, rest: text }
    }

    /// What is left, from the next token on; nothing before a comment.
    fn tail(&self) -> &'a str {
        let tail = self.rest.trim_start();
        if tail.starts_with(';') { "" } else { tail }
    }

    /// Letters, digits and `_` at the start of a text; with `.` as well if `dotted`.
    fn word_of(text: &str, dotted: bool) -> &str {
        let inside = |c: char| c.is_ascii_alphanumeric() || c == '_' || dotted && c == '.';
        &text[..text.find(|c| !inside(c)).unwrap_or(text.len())]
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.tail()[bytes..];
    }

    /// The error that `expected` should have stood here.
    pub(crate) fn fail<T>(&self, expected: &str) -> Result<T, ParseError> {
        let tail = self.tail();
        let first = tail.chars().next();
        let found = match first {
            None => "the end of the line".into(),
            Some('"') => tail.to_string(),
            Some(c) => {
                let sigil = if c == '%' { 1 } else { 0 };
                let word = Self::word_of(&tail[sigil..], true).len() + sigil;
                format!("`{}`", &tail[..word.max(c.len_utf8())])
            }
        };
        Err(ParseError { line: self.line, expected: expected.into(), found })
    }

    /// Nothing left?
    pub(crate) fn at_end(&self) -> bool {
        self.tail().is_empty()
    }
    pub(crate) fn end(&self) -> Result<(), ParseError> {
        if self.at_end() { Ok(()) } else { self.fail("the end of the line") }
    }

    /// The word here without what follows a dot; may be empty.
    pub(crate) fn head(&self) -> &'a str {
        Self::word_of(self.tail(), false)
    }
    /// The word here, dots included; may be empty.
    pub(crate) fn dotted(&self) -> &'a str {
        Self::word_of(self.tail(), true)
    }
    /// Takes the word that [`Cursor::dotted`] saw.
    pub(crate) fn take_dotted(&mut self) {
        self.skip(self.dotted().len());
    }

    pub(crate) fn at_value(&self) -> bool {
        self.tail().starts_with('%')
    }
    pub(crate) fn at_punct(&self, c: char) -> bool {
        self.tail().starts_with(c)
    }
    pub(crate) fn take_punct(&mut self, c: char) -> bool {
        let here = self.at_punct(c);
        if here {
            self.skip(c.len_utf8());
        }
        here
    }
    pub(crate) fn punct(&mut self, c: char) -> Result<(), ParseError> {
        if self.take_punct(c) { Ok(()) } else { self.fail(&format!("`{c}`")) }
    }

    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let here = self.head() == word;
        if here {
            self.skip(word.len());
        }
        here
    }
    pub(crate) fn keyword(&mut self, word: &str) -> Result<(), ParseError> {
        if self.take_word(word) { Ok(()) } else { self.fail(&format!("`{word}`")) }
    }

    /// Takes the words and punctuation of a text, if all of them stand here; white space does not count.
    pub(crate) fn take_literal(&mut self, text: &str) -> bool {
        let start = self.clone();
        if self.literal(text).is_ok() {
            return true;
        }
        *self = start;
        false
    }

    /// The words and punctuation of a text; white space does not count.
    pub(crate) fn literal(&mut self, text: &str) -> Result<(), ParseError> {
        let mut text = text.trim_start();
        while let Some(c) = text.chars().next() {
            let word = Self::word_of(text, false);
            let length = if word.is_empty() {
                self.punct(c)?;
                c.len_utf8()
            } else {
                self.keyword(word)?;
                word.len()
            };
            text = text[length..].trim_start();
        }
        Ok(())
    }

    /// What `known` makes of the word here.
    pub(crate) fn name<T>(&mut self, expected: &str, known: impl FnOnce(&str) -> Option<T>) -> Result<T, ParseError> {
        let word = self.head();
        match known(word) {
            Some(x) => {
                self.skip(word.len());
                Ok(x)
            }
            None => self.fail(expected),
        }
    }

    /// A string in quotes, with Rust's escapes.
    pub(crate) fn string(&mut self) -> Result<String, ParseError> {
        if !self.at_punct('"') {
            return self.fail("a string in quotes");
        }
        let mut chars = self.tail()[1..].chars();
        match string_body(&mut chars) {
            Some(s) => {
                self.rest = chars.as_str();
                Ok(s)
            }
            None => Err(ParseError { line: self.line, expected: "a string that ends on its line".into(), found: "an open string".into() }),
        }
    }

    pub(crate) fn value(&mut self) -> Result<Value, ParseError> {
        if !self.at_value() {
            return self.fail("a value (%0, %1, ...)");
        }
        let digits = Self::word_of(&self.tail()[1..], false);
        match digits.parse() {
            Ok(n) => {
                self.skip(1 + digits.len());
                Ok(Value(n))
            }
            Err(_) => self.fail("a value number after `%`"),
        }
    }

    pub(crate) fn int<T: TryFrom<i128>>(&mut self) -> Result<T, ParseError> {
        let negative = self.take_punct('-');
        let word = self.head();
        if word.is_empty() {
            return self.fail("a number");
        }
        let magnitude = match word.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => word.parse(),
        };
        let number = magnitude.ok().map(|m| if negative { -m } else { m });
        match number.and_then(|n| T::try_from(n).ok()) {
            Some(n) => {
                self.skip(word.len());
                Ok(n)
            }
            None => self.fail("a number that fits here"),
        }
    }

    /// `pc=0x1500`
    pub(crate) fn setting<T: TryFrom<i128>>(&mut self, name: &str) -> Result<T, ParseError> {
        self.keyword(name)?;
        self.punct('=')?;
        self.int()
    }

    /// `@0x1504`, or what it was.
    pub(crate) fn place(&mut self, before: u64) -> Result<u64, ParseError> {
        if self.take_punct('@') { self.int() } else { Ok(before) }
    }

    /// `t5`, as 5.
    pub(crate) fn index(&mut self, letter: char, what: &str) -> Result<u32, ParseError> {
        let number = |w: &str| w.strip_prefix(letter).and_then(|n| n.parse().ok());
        self.name(&format!("a {what} ({letter}0, {letter}1, ...)"), number)
    }

    /// A definition: these are numbered from 0 in order.
    pub(crate) fn this_index(&mut self, letter: char, next: usize, what: &str) -> Result<(), ParseError> {
        let wanted = format!("{letter}{next}");
        self.name(&format!("{what} `{wanted}`"), |w| (w == wanted).then_some(()))
    }

    pub(crate) fn block_id(&mut self) -> Result<BlockId, ParseError> {
        self.index('b', "block").map(BlockId)
    }

    pub(crate) fn sreg(&mut self) -> Result<SReg, ParseError> {
        self.name("a scalar register (s0, vcc_lo, scc, ...)", SReg::from_name)
    }

    pub(crate) fn vreg(&mut self) -> Result<VReg, ParseError> {
        let number = |w: &str| {
            let (first, number) = match w.strip_prefix('a') {
                Some(n) => (256, n),
                None => (0, w.strip_prefix('v')?),
            };
            number.parse::<u8>().ok().map(|n| VReg(first + u16::from(n)))
        };
        self.name("a vector register (v0..v255, a0..a255)", number)
    }
}

/// The rest of a string after its opening quote, with Rust's escapes resolved.
fn string_body(chars: &mut impl Iterator<Item = char>) -> Option<String> {
    let mut s = String::new();
    loop {
        let c = match chars.next()? {
            '"' => return Some(s),
            '\\' => match chars.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                'u' => {
                    let hex: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                    char::from_u32(u32::from_str_radix(&hex, 16).ok()?)?
                }
                c => c,
            },
            c => c,
        };
        s.push(c);
    }
}
