//! `wavejit run --profile`: the counts of every instruction as a table, and as JSON.

use serde_json::json;
use std::fmt::Write;
use wavejit::InstCount;

/// What the help says about profiles.
pub(crate) const SYNTAX: &str = "\
--profile prints a line for each instruction, by address: how often waves began it, its share of all executions, the share of lanes that were
active then, and its text; > marks those that ran most often. An instruction that faults is counted, those behind it are not.
JSON has the same numbers: kernel, wave_size, executions, active_lanes, instructions [pc, kernel, offset, text, executions, active_lanes].";

/// All instructions together.
struct Totals {
    executions: u64,
    active_lanes: u64,
    lanes: u64,
    /// Executions of the instruction with most.
    most: u64,
}

impl Totals {
    fn of(counts: &[InstCount]) -> Totals {
        Totals {
            executions: counts.iter().map(|c| c.executions).sum(),
            active_lanes: counts.iter().map(|c| c.active_lanes).sum(),
            lanes: counts.iter().map(|c| c.executions * u64::from(c.wave_size)).sum(),
            most: counts.iter().map(|c| c.executions).max().unwrap_or(0),
        }
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// A line for each instruction, and a head.
pub(crate) fn table(kernel: &str, counts: &[InstCount]) -> String {
    let totals = Totals::of(counts);
    let ran = counts.iter().filter(|c| c.executions > 0).count();
    let mut text = format!(
        "profile of kernel `{kernel}`: {} executions of {ran} instructions, {} of {} lanes active ({:.1}%); {} instructions did not run\n",
        totals.executions,
        totals.active_lanes,
        totals.lanes,
        percent(totals.active_lanes, totals.lanes),
        counts.len() - ran
    );
    text += "    executions       %   lanes%    offset\n";
    for c in counts {
        let mark = if c.executions == totals.most && totals.most > 0 { '>' } else { ' ' };
        let lanes = match c.executions {
            0 => "-".to_string(),
            n => format!("{:.1}%", percent(c.active_lanes, n * u64::from(c.wave_size))),
        };
        let offset = format!("{}{:#x}", if c.offset < 0 { '-' } else { '+' }, c.offset.unsigned_abs());
        let share = percent(c.executions, totals.executions);
        let _ = writeln!(text, "{mark} {:>12}  {share:>5.1}%  {lanes:>7}  {offset:>8}  {}", c.executions, c.text);
    }
    text
}

/// The same numbers.
pub(crate) fn json(kernel: &str, counts: &[InstCount]) -> String {
    let totals = Totals::of(counts);
    let instruction = |c: &InstCount| {
        json!({
            "pc": c.pc,
            "kernel": c.kernel,
            "offset": c.offset,
            "text": c.text,
            "executions": c.executions,
            "active_lanes": c.active_lanes,
        })
    };
    let all = json!({
        "kernel": kernel,
        "wave_size": counts.first().map(|c| c.wave_size),
        "executions": totals.executions,
        "active_lanes": totals.active_lanes,
        "instructions": counts.iter().map(instruction).collect::<Vec<_>>(),
    });
    format!("{all:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts() -> Vec<InstCount> {
        let count = |offset: i64, text: &str, executions, active_lanes| InstCount {
            pc: 0x1000u64.wrapping_add_signed(offset),
            kernel: "k".into(),
            offset,
            text: text.into(),
            wave_size: 32,
            executions,
            active_lanes,
        };
        vec![count(-8, "s_nop 0", 0, 0), count(0, "v_nop", 1, 32), count(4, "v_mov_b32_e32 v0, 0", 3, 24)]
    }

    #[test]
    fn the_table_has_shares_and_marks_the_hottest() {
        let expected = "\
profile of kernel `k`: 4 executions of 2 instructions, 56 of 128 lanes active (43.8%); 1 instructions did not run
    executions       %   lanes%    offset
             0    0.0%        -      -0x8  s_nop 0
             1   25.0%   100.0%      +0x0  v_nop
>            3   75.0%    25.0%      +0x4  v_mov_b32_e32 v0, 0
";
        assert_eq!(table("k", &counts()), expected);
    }

    #[test]
    fn json_has_the_same_numbers() {
        let text = json("k", &counts());
        assert!(text.starts_with("{\n  \"kernel\": \"k\",\n  \"wave_size\": 32,\n  \"executions\": 4,\n  \"active_lanes\": 56,"), "{text}");
        let last = "\"text\": \"v_mov_b32_e32 v0, 0\",\n      \"executions\": 3,\n      \"active_lanes\": 24\n    }\n  ]\n}\n";
        assert!(text.ends_with(last), "{text}");
        assert!(text.contains("\"offset\": -8,"), "{text}");
    }
}
