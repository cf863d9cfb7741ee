//! `docs/performance.md`: the figures, with machine and versions, losses first.

use crate::backend::Measured;
use crate::chart;
use crate::results::{Mean, Results, Row, Time, is_common, is_other};
use std::fmt::Write;
use std::fs;

/// Writes the document, its picture, and the passage of the README that quotes them.
pub(crate) fn write(results: &Results) -> std::io::Result<()> {
    let root = wavejit_benches::root();
    fs::write(root.join("docs/performance.svg"), chart::draw(results))?;
    fs::write(root.join("docs/performance.md"), document(results))?;
    let readme = fs::read_to_string(root.join("README.md"))?;
    let (Some(begin), Some(end)) = (readme.find(BEGIN), readme.find(END)) else {
        return Err(std::io::Error::other(format!("README.md has not `{BEGIN}` and `{END}`")));
    };
    fs::write(root.join("README.md"), format!("{}{BEGIN}{}{}", &readme[..begin], quotation(results), &readme[end..]))
}

/// What stands around the README's passage.
const BEGIN: &str = "<!-- performance: begin (written by the program `peers`, see benches/README.md) -->\n";
const END: &str = "<!-- performance: end -->\n";

/// How many losses and gains are quoted.
const QUOTED: usize = 8;

/// Means, the worst losses and the best gains.
fn quotation(results: &Results) -> String {
    let peers = results.indices(false);
    let columns = |cell: &dyn Fn(usize) -> String| peers.iter().map(|&p| format!(" {} |", cell(p))).collect::<String>();
    let mut text = format!(
        "The same OpenCL C on one machine ({}, commit {}; CPU time of all threads, interleaved rounds, every result checked): wavejit runs the\n\
         gfx1100 code object, the others compile the source for the CPU. How many times as fast wavejit is, geometric means:\n\n",
        results.machine, results.commit
    );
    text += &format!("| |{}\n|---|{}\n", columns(&|p| format!("over {}", results.backends[p].0)), "---|".repeat(peers.len()));
    let sets: [(&str, fn(&Row) -> bool); 2] =
        [("kernels that every benchmark has", is_common), ("others, written before any tuning to them", is_other)];
    for (set, wanted) in sets {
        text += &format!("| {set} |{}\n", columns(&|p| results.mean(0, p, |m| m.cpu, wanted).to_string()));
    }
    let Some(&first) = peers.first() else { return text };
    let rows: Vec<(&str, f64)> =
        chart::sorted(results).iter().filter_map(|r| Some((r.name, Results::ratio(r, 0, first, |m| m.cpu)?))).collect();
    let list = |some: &[(&str, f64)]| some.iter().map(|(name, ratio)| format!("{name} {ratio:.2}")).collect::<Vec<_>>().join(", ");
    let (slower, peer) = (rows.iter().filter(|r| r.1 < 1.0).count(), &results.backends[first].0);
    text += &format!("\nSlower than {peer} on {slower} of {} kernels, most on: {}.\n", rows.len(), list(&rows[..QUOTED.min(rows.len())]));
    text += &format!("Best: {}.\n", list(&rows[rows.len().saturating_sub(QUOTED)..]));
    text + "All kernels, versions and times: [docs/performance.md](docs/performance.md), as a [picture](docs/performance.svg).\n"
}

const HEAD: &str = "# Performance

Kernels of `shaders/peers` on wavejit, from gfx1100 code objects, and on OpenCL implementations for CPUs, from the same sources. Written by the program
`peers`; [benches/README.md](../benches/README.md) has the command.

Times are CPU time of all threads, divided by the number of threads: the wall time of an idle machine with perfect sharing. Rounds are interleaved and
the best one counts. Every result is judged by a reference in plain Rust after the first launch and after the last; only right ones are compared. A ratio
above 1 means that wavejit is faster. The *common* kernels are of the kind that every benchmark has and that the back ends were tuned to; the *others* were
written before any tuning to them.
";

fn document(results: &Results) -> String {
    let mut text = String::from(HEAD);
    let mut line = |what: std::fmt::Arguments<'_>| writeln!(text, "{what}").expect("a string takes everything");
    line(format_args!(
        "\n| | |\n|---|---|\n| machine | {} |\n| commit | {} |\n| rounds | {} |",
        results.machine, results.commit, results.rounds
    ));
    if let Some(load) = results.load {
        line(format_args!("| load average before | {load:.1} |"));
    }
    for (name, version, _) in &results.backends {
        line(format_args!("| {name} | {version} |"));
    }
    line(format_args!("\n![Speed of wavejit relative to the others, by kernel](performance.svg)"));
    let (ours, peers) = (results.indices(true), results.indices(false));
    let name = |i: usize| &results.backends[i].0;
    let columns = |cell: &dyn Fn(usize) -> String| peers.iter().map(|&p| format!(" {} |", cell(p))).collect::<String>();

    line(format_args!("\n## Geometric means\n\nIn brackets: of how many kernels.\n"));
    line(format_args!("| |{}", columns(&|p| format!("over {}", name(p)))));
    line(format_args!("|---|{}", columns(&|_| "---".into())));
    for &o in &ours {
        let sets: [(&str, Time, fn(&Row) -> bool); 4] = [
            ("common kernels", |m| m.cpu, is_common),
            ("other kernels", |m| m.cpu, is_other),
            ("all kernels", |m| m.cpu, |_| true),
            ("all, by wall time", |m| m.wall, |_| true),
        ];
        for (set, time, wanted) in sets {
            line(format_args!("| {}: {set} |{}", name(o), columns(&|p| results.mean(o, p, time, wanted).to_string())));
        }
        line(format_args!("| {}: all, median |{}", name(o), columns(&|p| results.median(o, p, |m| m.cpu).to_string())));
        let count = |p: usize, faster: bool| {
            let ratios = results.rows.iter().filter_map(|row| Results::ratio(row, o, p, |m| m.cpu));
            ratios.filter(|r| (*r > 1.0) == faster).count()
        };
        line(format_args!("| {}: kernels faster, slower |{}", name(o), columns(&|p| format!("{}, {}", count(p, true), count(p, false)))));
    }
    let classes = results.rows.iter().map(|r| r.class).fold(Vec::new(), |mut list: Vec<&str>, c| {
        if !list.contains(&c) {
            list.push(c);
        }
        list
    });
    line(format_args!("\n## By what they stand for\n\n| |{}", columns(&|p| format!("over {}", name(p)))));
    line(format_args!("|---|{}", columns(&|_| "---".into())));
    for class in classes {
        let mean = |p: usize| -> Mean { results.mean(0, p, |m| m.cpu, |row| row.class == class) };
        line(format_args!("| {class} |{}", columns(&|p| mean(p).to_string())));
    }

    line(format_args!(
        "\n## Each kernel\n\nMilliseconds of CPU time, ratios of it and of wall time, and milliseconds of compiling: what building and the\nfirst launch take longer than the best launch.\n"
    ));
    let all = || ours.iter().chain(&peers).copied();
    let times: String = all().map(|b| format!(" {} ms |", name(b))).collect();
    let over: String = ours.iter().flat_map(|&o| peers.iter().map(move |&p| (o, p))).map(|(o, p)| over(name, o, p)).collect();
    let walls = columns(&|p| format!("by wall, over {}", name(p)));
    let firsts: String = all().map(|b| format!(" first, {} |", name(b))).collect();
    line(format_args!("| kernel | stands for |{times}{over}{walls}{firsts}"));
    let count = 2 + 2 * results.backends.len() + ours.len() * peers.len() + peers.len();
    line(format_args!("|{}", "---|".repeat(count)));
    for row in chart::sorted(results) {
        let cell =
            |b: usize, of: &dyn Fn(&Measured) -> f64| row.measured[b].as_ref().map_or(" - |".into(), |m| format!(" {} |", short(of(m))));
        let ratio = |o: usize, p: usize, time: Time| Results::ratio(row, o, p, time).map_or(" - |".into(), |r| format!(" {r:.2} |"));
        let times: String = all().map(|b| cell(b, &|m| results.cpu_ms(m))).collect();
        let over: String = ours.iter().flat_map(|&o| peers.iter().map(move |&p| (o, p))).map(|(o, p)| ratio(o, p, |m| m.cpu)).collect();
        let walls: String = peers.iter().map(|&p| ratio(0, p, |m| m.wall)).collect();
        let firsts: String = all().map(|b| cell(b, &|m| (m.first - m.wall).max(0.0) * 1e3)).collect();
        line(format_args!("| {} | {} |{times}{over}{walls}{firsts}", row.name, row.class));
    }
    let missing =
        results.rows.iter().flat_map(|row| row.measured.iter().enumerate().filter_map(|(b, m)| Some((row.name, b, m.as_ref().err()?))));
    let missing: Vec<String> = missing.map(|(kernel, b, why)| format!("- {kernel} on {}: {why}", name(b))).collect();
    if !missing.is_empty() {
        line(format_args!("\nWithout a figure:\n\n{}", missing.join("\n")));
    }
    text
}

/// The head of a column with ratios.
fn over<'a>(name: impl Fn(usize) -> &'a String, ours: usize, peer: usize) -> String {
    if ours == 0 { format!(" over {} |", name(peer)) } else { format!(" {} over {} |", name(ours), name(peer)) }
}

/// Three digits or so.
fn short(x: f64) -> String {
    let digits = if x < 10.0 { 2 } else { usize::from(x < 100.0) };
    format!("{x:.digits$}")
}
