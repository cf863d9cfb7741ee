//! Names of kernels as their source writes them: C++ compilers mangle `saxpy(float *, ...)` to `_Z5saxpyPf...`.
//!
//! Reference: Itanium C++ ABI, "Mangling". Only the name is read; parameters and template arguments are left alone.

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
}
