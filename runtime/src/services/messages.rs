//! Messages: what a work-item says to the host in as many packets as it takes, seven qwords at most in each.
//!
//! ```text
//! qword 0: bit 0 the message begins, bit 1 it ends, bits 7:5 qwords that follow, bits 63:8 its number, which the host gives when it begins
//! qwords 1 to 7: more of it
//! ```
//!
//! A printf is a message: qword 0 is 0, or 1 for the error stream; then the format, then the arguments: a qword each, strings inline and padded
//! with zeros to whole qwords. Reference: AMD's `devhcmessages.cpp` and `devhcprintf.cpp`, for the layout.

use super::format::{self, Arguments};
use super::{Print, Stream};

/// Most messages that may be begun and not ended, and qwords of one: more than any wave needs, and no way to take the host's memory.
const MAX_MESSAGES: usize = 1 << 18;
const MAX_QWORDS: usize = 1 << 17;

/// Messages that have begun and not ended.
#[derive(Default)]
pub(super) struct Messages {
    /// By number.
    slots: Vec<Option<Vec<u64>>>,
    free: Vec<usize>,
}

impl Messages {
    /// Takes a work-item's packet and answers in it: with the message's number, or with what printf returns. The error says what is wrong with it.
    pub(super) fn take(&mut self, packet: &mut [u64; 8], print: &mut Print) -> Result<(), String> {
        let head = packet[0];
        let (begins, ends, len) = (head & 1 != 0, head & 2 != 0, (head >> 5 & 7) as usize);
        let number = if begins { self.begin()? } else { (head >> 8) as usize };
        let Some(Some(message)) = self.slots.get_mut(number) else {
            return Err(format!("a part of message {number}, which has not begun"));
        };
        message.extend_from_slice(&packet[1..1 + len]);
        if message.len() > MAX_QWORDS {
            return Err(format!("a message of more than {MAX_QWORDS} qwords"));
        }
        if !ends {
            packet[0] = head & 0xfe | (number as u64) << 8;
            return Ok(());
        }
        let whole = self.slots[number].take().unwrap_or_default();
        self.free.push(number);
        packet[0] = printf(&whole, print);
        Ok(())
    }

    fn begin(&mut self) -> Result<usize, String> {
        let number = match self.free.pop() {
            Some(number) => number,
            None if self.slots.len() == MAX_MESSAGES => return Err(format!("more than {MAX_MESSAGES} messages at a time")),
            None => {
                self.slots.push(None);
                self.slots.len() - 1
            }
        };
        self.slots[number] = Some(Vec::new());
        Ok(number)
    }
}

/// Prints the message; what printf returns: the bytes, or -1.
fn printf(message: &[u64], print: &mut Print) -> u64 {
    let stream = match message.first() {
        Some(0) => Stream::Out,
        Some(1) => Stream::Err,
        _ => return u64::MAX,
    };
    let mut args = Qwords(&message[1..]);
    let format = args.string().unwrap_or_default();
    let text = format::print(&format, &mut args);
    print(stream, &text);
    text.len() as u64
}

/// Arguments of a qword each, strings inline.
pub(super) struct Qwords<'a>(pub &'a [u64]);

impl Qwords<'_> {
    fn next(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }
}

impl Arguments for Qwords<'_> {
    fn integer(&mut self, _bytes: usize) -> Option<u64> {
        self.next()
    }
    fn float(&mut self, _bytes: Option<usize>) -> Option<f64> {
        self.next().map(f64::from_bits)
    }
    fn string(&mut self) -> Option<Vec<u8>> {
        let mut text = self.next()?.to_le_bytes().to_vec();
        while !text.contains(&0) {
            match self.next() {
                Some(more) => text.extend_from_slice(&more.to_le_bytes()),
                None => break,
            }
        }
        text.truncate(text.iter().position(|b| *b == 0).unwrap_or(text.len()));
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    fn qwords(text: &str) -> Vec<u64> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes.chunks(8).map(|c| u64::from_le_bytes(c.try_into().expect("eight bytes"))).collect()
    }

    #[test]
    fn messages_of_several_work_items_interleave() {
        let said: Arc<Mutex<Vec<(Stream, String)>>> = Arc::default();
        let to = said.clone();
        let mut print: Print =
            Box::new(move |stream, text| to.lock().expect("no panic").push((stream, String::from_utf8_lossy(text).into())));
        let mut messages = Messages::default();
        let mut send = |control: u64, format: &str, args: &[u64]| -> Vec<u64> {
            let body: Vec<u64> = [vec![control], qwords(format), args.to_vec()].concat();
            let parts = body.chunks(3).count();
            body.chunks(3)
                .enumerate()
                .fold((vec![], 0), |(mut answers, number), (i, part)| {
                    let mut packet = [0; 8];
                    packet[0] = number << 8 | (part.len() as u64) << 5 | u64::from(i == 0) | u64::from(i + 1 == parts) << 1;
                    packet[1..1 + part.len()].copy_from_slice(part);
                    messages.take(&mut packet, &mut print).expect("well formed");
                    answers.push(packet[0]);
                    (answers, packet[0] >> 8)
                })
                .0
        };
        assert_eq!(send(0, "x = %d, a long format of many qwords\n", &[5]).last(), Some(&36));
        assert_eq!(send(1, "%s!", &qwords("oops")).last(), Some(&5));
        assert_eq!(send(4, "unknown control", &[]).last(), Some(&u64::MAX));
        let said = said.lock().expect("no panic");
        let expected = [(Stream::Out, "x = 5, a long format of many qwords\n"), (Stream::Err, "oops!")];
        assert_eq!(*said, expected.map(|(s, t)| (s, t.to_string())));
    }

    #[test]
    fn parts_of_nothing_are_named() {
        let mut messages = Messages::default();
        let mut print: Print = Box::new(|_, _| panic!("nothing to print"));
        let error = messages.take(&mut [5 << 8 | 2, 0, 0, 0, 0, 0, 0, 0], &mut print).expect_err("there is no message");
        assert!(error.contains("message 5"), "{error}");
    }
}
