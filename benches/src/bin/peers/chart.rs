//! The picture of the ratios: a bar for each kernel and peer, to the right of 1.0 where wavejit is faster, on a logarithmic scale.

use crate::results::{Results, Row, is_common, is_other};
use std::fmt::Write;

const WIDTH: f64 = 900.0;
const LEFT: f64 = 160.0;
const RIGHT: f64 = 860.0;
const BAR: f64 = 9.0;
/// Above the first kernel: title and legend.
const HEAD: f64 = 76.0;
/// Between the means and the kernels.
const GAP: f64 = 10.0;
/// What the scale reaches; longer bars end in an arrow.
const LEAST: f64 = 1.0 / 32.0;
const MOST: f64 = 32.0;
const COLORS: [&str; 4] = ["#1f77b4", "#ff7f0e", "#2ca02c", "#9467bd"];

/// Rows by their ratio to the first peer, the slowest first; those without one at the end.
pub(crate) fn sorted(results: &Results) -> Vec<&Row> {
    let peer = results.indices(false).first().copied();
    let key = |row: &Row| peer.and_then(|p| Results::ratio(row, 0, p, |m| m.cpu)).unwrap_or(f64::MAX);
    let mut rows: Vec<&Row> = results.rows.iter().collect();
    rows.sort_by(|a, b| key(a).total_cmp(&key(b)));
    rows
}

fn place(ratio: f64) -> f64 {
    LEFT + (ratio.clamp(LEAST, MOST) / LEAST).ln() / (MOST / LEAST).ln() * (RIGHT - LEFT)
}

/// The SVG file.
pub(crate) fn draw(results: &Results) -> String {
    let peers = results.indices(false);
    let step = BAR * peers.len().max(1) as f64 + 7.0;
    let bottom = HEAD + step * (results.rows.len() as f64 + 2.0) + GAP + 4.0;
    let mut svg = String::new();
    let mut put = |what: std::fmt::Arguments<'_>| writeln!(svg, "{what}").expect("a string takes everything");
    put(format_args!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {h}" width="{WIDTH}" height="{h}" font-family="sans-serif" font-size="11">"#,
        h = bottom + 28.0
    ));
    put(format_args!(r#"<rect width="100%" height="100%" fill="white"/>"#));
    put(format_args!(
        r#"<text x="{LEFT}" y="22" font-size="15" font-weight="bold">Speed of wavejit over OpenCL implementations for CPUs</text>"#
    ));
    put(format_args!(
        r##"<text x="{LEFT}" y="38" fill="#555">{}, commit {}; CPU time; to the right of 1: wavejit is faster; bold: common kernels</text>"##,
        results.machine, results.commit
    ));
    for (i, &p) in peers.iter().enumerate() {
        let x = LEFT + 180.0 * i as f64;
        put(format_args!(r#"<rect x="{x}" y="47" width="12" height="10" fill="{}"/>"#, COLORS[i % COLORS.len()]));
        put(format_args!(r#"<text x="{}" y="56">over {}</text>"#, x + 17.0, results.backends[p].0));
    }
    let mut tick = LEAST;
    while tick <= MOST {
        let (x, color) = (place(tick), if tick == 1.0 { "#000" } else { "#ddd" });
        put(format_args!(r#"<line x1="{x:.1}" x2="{x:.1}" y1="{}" y2="{bottom}" stroke="{color}"/>"#, HEAD - 6.0));
        let label = if tick < 1.0 { format!("1/{}", 1.0 / tick) } else { tick.to_string() };
        put(format_args!(r#"<text x="{x:.1}" y="{}" text-anchor="middle">{label}</text>"#, bottom + 15.0));
        tick *= 2.0;
    }
    let rows = sorted(results);
    let means = [("mean, common", is_common as fn(&Row) -> bool), ("mean, others", is_other)];
    let mean = |(name, wanted): (&'static str, fn(&Row) -> bool)| {
        let ratios: Vec<Option<f64>> =
            peers.iter().map(|&p| results.mean(0, p, |m| m.cpu, wanted)).map(|m| (m.1 > 0).then_some(m.0)).collect();
        (name, ratios, true)
    };
    let kernels =
        rows.iter().map(|row| (row.name, peers.iter().map(|&p| Results::ratio(row, 0, p, |m| m.cpu)).collect::<Vec<_>>(), is_common(row)));
    for (i, (name, ratios, is_bold)) in means.map(mean).into_iter().chain(kernels).enumerate() {
        let y = HEAD + step * i as f64 + if i < means.len() { 0.0 } else { GAP };
        let weight = if is_bold { r#" font-weight="bold""# } else { "" };
        put(format_args!(r#"<text x="{}" y="{:.1}" text-anchor="end"{weight}>{name}</text>"#, LEFT - 8.0, y + step / 2.0 + 1.0));
        for (k, ratio) in ratios.into_iter().enumerate() {
            let Some(ratio) = ratio else { continue };
            let (from, to, top) = (place(ratio.min(1.0)), place(ratio.max(1.0)), y + BAR * k as f64);
            let color = COLORS[k % COLORS.len()];
            put(format_args!(
                r#"<rect x="{from:.1}" y="{top:.1}" width="{:.1}" height="{}" fill="{color}"/>"#,
                (to - from).max(1.0),
                BAR - 1.0
            ));
            let arrow = if ratio > MOST {
                "→ "
            } else if ratio < LEAST {
                "← "
            } else {
                ""
            };
            // the label stands beyond the bar's end, or within where there is no place
            let (x, anchor, fill) = match ratio {
                r if r > MOST / 1.3 => (to - 3.0, "end", "#fff"),
                r if r >= 1.0 => (to + 3.0, "start", "#333"),
                r if r < LEAST * 1.3 => (from + 3.0, "start", "#fff"),
                _ => (from - 3.0, "end", "#333"),
            };
            put(format_args!(
                r#"<text x="{x:.1}" y="{:.1}" font-size="8" fill="{fill}" text-anchor="{anchor}">{arrow}{ratio:.2}</text>"#,
                top + BAR - 2.0
            ));
        }
    }
    svg + "</svg>\n"
}
