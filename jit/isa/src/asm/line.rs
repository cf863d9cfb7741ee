//! An instruction line cut into mnemonic, operands and modifiers, without knowing the instruction.

/// The parts of a line. Text is as written, without outer white space.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Parts<'a> {
    pub mnemonic: &'a str,
    pub operands: Vec<&'a str>,
    pub modifiers: Vec<&'a str>,
}

/// Modifiers that are a word of their own; all others have the form `name:value`.
const WORDS: &[&str] = &[
    "clamp",
    "glc",
    "slc",
    "dlc",
    "scc",
    "nv",
    "sc0",
    "sc1",
    "nt",
    "tfe",
    "lwe",
    "d16",
    "a16",
    "g16",
    "unorm",
    "r128",
    "da",
    "offen",
    "idxen",
    "addr64",
    "lds",
    "gds",
    "done",
    "row_en",
    "vm",
    "compr",
    "high",
    "row_mirror",
    "row_half_mirror",
    "wave_shl",
    "fi",
];

/// Comment removed: `//`, `;` and `#` at the start of a line.
pub(super) fn without_comment(line: &str) -> &str {
    let line = line.split("//").next().unwrap_or_default();
    let mut quoted = false;
    let end = line.find(|c| {
        quoted ^= c == '"';
        c == ';' && !quoted
    });
    let line = line[..end.unwrap_or(line.len())].trim();
    if line.starts_with('#') { "" } else { line }
}

/// Pieces of `text` at `separator` outside brackets, quotes and bars.
fn split_outside(text: &str, separator: impl Fn(char) -> bool) -> Vec<&str> {
    let (mut out, mut start, mut depth, mut quoted, mut bars) = (Vec::new(), 0, 0i32, false, false);
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '|' => bars = !bars,
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        if separator(c) && depth <= 0 && !quoted && (!bars || c == ',') {
            out.push(text[start..i].trim());
            start = i + c.len_utf8();
        }
    }
    out.push(text[start..].trim());
    out
}

/// Name of a modifier: what stands before the colon.
pub(super) fn modifier_name(token: &str) -> &str {
    token.split(':').next().unwrap_or_default()
}

fn is_modifier(token: &str) -> bool {
    let name = modifier_name(token);
    let named = name.len() < token.len() && !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    WORDS.contains(&token) || named
}

/// Cuts a line (without comment). The operand of `s_waitcnt` and its like, a chain of words, stays one operand.
pub(super) fn cut(line: &str) -> Parts<'_> {
    let (mnemonic, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let mut parts = Parts { mnemonic, ..Parts::default() };
    if rest.is_empty() {
        return parts;
    }
    for piece in split_outside(rest, |c| c == ',') {
        let tokens: Vec<&str> = split_outside(piece, char::is_whitespace).into_iter().filter(|t| !t.is_empty()).collect();
        // `a16` and `scc` at the start of an operand are registers.
        let first =
            (0..tokens.len()).find(|&i| is_modifier(tokens[i]) && (i > 0 || !matches!(tokens[i], "a16" | "scc"))).unwrap_or(tokens.len());
        if first > 0 || tokens.is_empty() {
            let end = tokens.get(first).map_or(piece.len(), |t| t.as_ptr() as usize - piece.as_ptr() as usize);
            parts.operands.push(piece[..end].trim());
        }
        parts.modifiers.extend(&tokens[first..]);
    }
    parts
}

/// Pieces of a list: what stands between commas.
pub(super) fn items(text: &str) -> Vec<&str> {
    split_outside(text, |c| c == ',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_end_where_modifiers_begin() {
        let p = cut("buffer_load_b32 v5, off, s[8:11], s3 offset:4095 glc");
        assert_eq!(
            (p.mnemonic, &p.operands[..], &p.modifiers[..]),
            ("buffer_load_b32", &["v5", "off", "s[8:11]", "s3"][..], &["offset:4095", "glc"][..])
        );
        let p = cut("image_sample v[0:3], [v4, v5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D");
        assert_eq!(p.operands, ["v[0:3]", "[v4, v5]", "s[0:7]", "s[8:11]"]);
        let p = cut("v_add_f32 v0, -|v1|, s2 clamp mul:2");
        assert_eq!((p.operands, p.modifiers), (vec!["v0", "-|v1|", "s2"], vec!["clamp", "mul:2"]));
        let p = cut("s_waitcnt vmcnt(0) lgkmcnt(0)");
        assert_eq!(p.operands, ["vmcnt(0) lgkmcnt(0)"]);
        let p = cut("v_fma_f32 v0, |s[0]|, abs(v2), v3 op_sel:[0,1,0,0]");
        assert_eq!((p.operands.len(), p.modifiers), (4, vec!["op_sel:[0,1,0,0]"]));
        let p = cut("ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,\"01pip\")");
        assert_eq!(p.modifiers, ["offset:swizzle(BITMASK_PERM,\"01pip\")"]);
    }

    #[test]
    fn comments_go() {
        assert_eq!(without_comment("s_nop 0 // wait"), "s_nop 0");
        assert_eq!(without_comment("s_nop 0 ; wait"), "s_nop 0");
        assert_eq!(without_comment("# all"), "");
    }
}
