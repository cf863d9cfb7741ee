//! Names of kernels as their source writes them: C++ compilers mangle `saxpy(float *, ...)` to `_Z5saxpyPf...`.
//!
//! Reference: Itanium C++ ABI, "Mangling". Only the name is read; parameters and template arguments are left alone.

use std::collections::HashSet;

/// The name in a mangled symbol, with its namespaces: `ns::saxpy`. None if the symbol is not mangled.
pub(super) fn source_name(symbol: &str) -> Option<String> {
    let rest = symbol.strip_prefix("_Z")?;
    let (mut rest, nested) = rest.strip_prefix('N').map_or((rest, false), |r| (r, true));
    let mut parts = Vec::new();
    loop {
        rest = rest.strip_prefix('L').unwrap_or(rest); // internal linkage
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(len) = rest[..digits].parse::<usize>() else { break };
        let end = digits.checked_add(len)?;
        let part = rest.get(digits..end)?;
        rest = &rest[end..];
        if part != "_GLOBAL__N_1" {
            parts.push(part);
        }
        if !nested {
            break;
        }
    }
    (!parts.is_empty()).then(|| parts.join("::"))
}

/// Is `name` how the source calls `symbol`, with or without namespaces?
pub(super) fn is_source_name(symbol: &str, name: &str) -> bool {
    source_name(symbol).is_some_and(|s| s == name || s.strip_suffix(name).is_some_and(|ns| ns.ends_with("::")))
}

/// The source's name of each symbol, where it is the only one that [`is_source_name`] says it of and none of the symbols is called so.
pub(super) fn unique_names(symbols: &[&str]) -> Vec<Option<String>> {
    // Backward, names that end alike are side by side: no pair of names is compared.
    let backward = |name: &str| name.bytes().rev().collect::<Vec<u8>>();
    let names: Vec<Option<String>> = symbols.iter().map(|s| source_name(s)).collect();
    let mut sorted: Vec<Vec<u8>> = names.iter().flatten().map(|n| backward(n)).collect();
    sorted.sort_unstable();
    let plain: HashSet<&str> = symbols.iter().copied().collect();
    let is_unique = |name: &String| {
        let name_backward = backward(name);
        let at = sorted.partition_point(|n| *n < name_backward);
        let is_again = sorted.get(at + 1) == Some(&name_backward);
        let with_namespace = [&name_backward[..], b"::"].concat();
        let longer = sorted.get(sorted.partition_point(|n| *n < with_namespace)).is_some_and(|n| n.starts_with(&with_namespace));
        !is_again && !longer && !plain.contains(name.as_str())
    };
    names.into_iter().map(|name| name.filter(is_unique)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Symbols as clang 19 mangles them.
    #[test]
    fn names_are_read_out_of_mangled_symbols() {
        let name = |symbol| source_name(symbol).unwrap_or_default();
        assert_eq!(name("_Z5saxpyPfPKffi"), "saxpy");
        assert_eq!(name("_Z4axpyIfEvPT_PKS0_S0_i"), "axpy");
        assert_eq!(name("_ZN4math5outer4axpyIdEEvPT_"), "math::outer::axpy");
        assert_eq!(name("_ZL6hiddenPi"), "hidden");
        assert_eq!(name("_ZN12_GLOBAL__N_16hiddenEPi"), "hidden");
        for not in ["saxpy", "_Z", "_Z99999999999999999999x", "_Z9short", "_ZNE", "_Z5é"] {
            assert_eq!(source_name(not), None, "{not}");
        }
    }

    #[test]
    fn namespaces_may_be_left_out() {
        assert!(is_source_name("_ZN4math4axpyIdEEvPT_", "axpy") && is_source_name("_ZN4math4axpyIdEEvPT_", "math::axpy"));
        assert!(!is_source_name("_ZN4math4axpyIdEEvPT_", "xpy") && !is_source_name("axpy", "axpy"));
    }

    #[test]
    fn short_names_are_those_of_one_kernel() {
        let symbols = ["_Z4axpyf", "_Z4axpyd", "_Z4copyPf", "_ZN1a4fillEv", "_Z4fillv", "_Z5plainv", "plain", "_ZN1b5otherEv", "_Z3herv"];
        let names = unique_names(&symbols);
        let names: Vec<Option<&str>> = names.iter().map(Option::as_deref).collect();
        assert_eq!(names, [None, None, Some("copy"), Some("a::fill"), None, None, None, Some("b::other"), Some("her")]);
        for (name, symbol) in names.iter().zip(symbols).filter_map(|(n, s)| Some(((*n)?, s))) {
            assert_eq!(symbols.iter().filter(|s| is_source_name(s, name)).collect::<Vec<_>>(), [&symbol]);
        }
    }
}
