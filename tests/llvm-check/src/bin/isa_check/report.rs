//! What a comparison found: counts, what was left out and why, and differences with samples.

use std::collections::BTreeMap;

/// Counts of one kind of comparison.
#[derive(Default)]
pub(crate) struct Report {
    pub equal: usize,
    pub done: usize,
    /// Of `done`, those that LLVM takes for an instruction.
    pub accepted: usize,
    /// Not compared (not in `done`), by the rule that says why and by mnemonic, with a sample.
    left_out: BTreeMap<&'static str, BTreeMap<String, (usize, String)>>,
    differences: BTreeMap<String, (usize, Vec<String>)>,
}

impl Report {
    /// Counts one that is equal.
    pub(crate) fn same(&mut self) {
        self.done += 1;
        self.equal += 1;
    }

    /// Counts one that cannot be compared.
    pub(crate) fn leave_out(&mut self, rule: &'static str, sample: &str) {
        let key = sample.split(' ').next().unwrap_or_default().to_string();
        let entry = self.left_out.entry(rule).or_default().entry(key).or_insert_with(|| (0, sample.into()));
        entry.0 += 1;
    }

    /// Counts a difference: its kind, the text whose mnemonic it is filed under, and a sample to show.
    pub(crate) fn differ(&mut self, show: usize, kind: &str, text: &str, sample: impl FnOnce() -> String) {
        self.done += 1;
        let key = text.split(' ').next().unwrap_or_default();
        let d = self.differences.entry(format!("{kind} {key}")).or_default();
        d.0 += 1;
        if d.1.len() < show {
            d.1.push(sample());
        }
    }

    /// Everything compared was equal.
    pub(crate) fn is_good(&self) -> bool {
        self.equal == self.done
    }

    /// `12 of 12 equal (100.0000%)`.
    pub(crate) fn counts(&self) -> String {
        let share = if self.done == 0 { 100.0 } else { 100.0 * self.equal as f64 / self.done as f64 };
        // Rounding must not hide a difference.
        let share = if self.is_good() { share } else { share.min(99.9999) };
        format!("{} of {} equal ({share:.4}%)", self.equal, self.done)
    }

    /// `; left out: 3 reason, 4 other reason`, or nothing.
    pub(crate) fn omissions(&self) -> String {
        let list: Vec<String> =
            self.left_out.iter().map(|(rule, found)| format!("{} {rule}", found.values().map(|f| f.0).sum::<usize>())).collect();
        if list.is_empty() { String::new() } else { format!("; left out: {}", list.join(", ")) }
    }

    /// Prints what each rule left out, a sample of each mnemonic.
    pub(crate) fn print_omissions(&self) {
        for (rule, found) in &self.left_out {
            println!("    {rule}");
            found.values().for_each(|(n, sample)| println!("    {n:6} {sample}"));
        }
    }

    /// Prints the differences.
    pub(crate) fn print_differences(&self) {
        for (key, (n, samples)) in &self.differences {
            println!("    {n:6} {key}");
            samples.iter().for_each(|s| println!("{s}"));
        }
    }
}
