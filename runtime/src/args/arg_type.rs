//! Types of kernel arguments, as metadata names them, compared with what is given for them.
//!
//! OpenCL's metadata has `.type_name`, such as `float*`, `uint` or `float3`; HIP's has none, and then sizes are all there is to compare. Signs are
//! not compared: an `int` argument takes a u32.

use crate::code_object::{ArgKind, KernelArg};
use std::fmt;

/// A type of numbers: f32, i16, ...
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Element {
    /// `f` of floats, `i` and `u` of integers.
    pub class: char,
    /// Bytes of a number: 1, 2, 4 or 8.
    pub bytes: u32,
}

/// A type as it is declared in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DeclaredType {
    /// A pointer, and the numbers it points to if it says so; bytes and structures do not.
    Pointer(Option<Element>),
    /// A number, or a vector of several.
    Numbers {
        /// Their type.
        element: Element,
        /// How many the source says: 1, 2, 3, 4, 8 or 16.
        count: u32,
    },
    /// A structure, an image, a name that the source has made.
    Other,
}

/// OpenCL's names; HIP's where they differ.
const NAMES: &[(&str, char, u32)] = &[
    ("char", 'i', 1),
    ("signed char", 'i', 1),
    ("uchar", 'u', 1),
    ("unsigned char", 'u', 1),
    ("bool", 'u', 1),
    ("short", 'i', 2),
    ("ushort", 'u', 2),
    ("unsigned short", 'u', 2),
    ("half", 'f', 2),
    ("_Float16", 'f', 2),
    ("int", 'i', 4),
    ("uint", 'u', 4),
    ("unsigned int", 'u', 4),
    ("float", 'f', 4),
    ("long", 'i', 8),
    ("long long", 'i', 8),
    ("ulong", 'u', 8),
    ("unsigned long", 'u', 8),
    ("unsigned long long", 'u', 8),
    ("size_t", 'u', 8),
    ("ptrdiff_t", 'i', 8),
    ("intptr_t", 'i', 8),
    ("uintptr_t", 'u', 8),
    ("double", 'f', 8),
];

impl Element {
    /// f32.
    pub const F32: Element = Element { class: 'f', bytes: 4 };
    /// f64.
    pub const F64: Element = Element { class: 'f', bytes: 8 };
    /// i32.
    pub const I32: Element = Element { class: 'i', bytes: 4 };
    /// u32.
    pub const U32: Element = Element { class: 'u', bytes: 4 };
    /// u64.
    pub const U64: Element = Element { class: 'u', bytes: 8 };

    /// Same size, and both floats or both integers?
    fn is_like(self, other: Element) -> bool {
        self.bytes == other.bytes && (self.class == 'f') == (other.class == 'f')
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.class, 8 * self.bytes)
    }
}

impl DeclaredType {
    /// What a type name says.
    pub(crate) fn parse(name: &str) -> DeclaredType {
        let name = name.trim();
        if let Some(pointee) = name.strip_suffix('*') {
            let element = match DeclaredType::parse(pointee) {
                // Bytes are what everything is made of.
                DeclaredType::Numbers { element, .. } if element.bytes > 1 => Some(element),
                _ => None,
            };
            return DeclaredType::Pointer(element);
        }
        let name = name.strip_prefix("const ").unwrap_or(name);
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let known = |name: &str| NAMES.iter().find(|n| n.0 == name).map(|n| Element { class: n.1, bytes: n.2 });
        match (known(name), name.split_at(name.len() - digits)) {
            (Some(element), _) => DeclaredType::Numbers { element, count: 1 },
            (None, (base, count @ ("2" | "3" | "4" | "8" | "16"))) => match (known(base), count.parse()) {
                (Some(element), Ok(count)) => DeclaredType::Numbers { element, count },
                _ => DeclaredType::Other,
            },
            _ => DeclaredType::Other,
        }
    }

    /// The declared type of an argument, if the metadata names one.
    pub(crate) fn of(arg: &KernelArg) -> DeclaredType {
        arg.type_name.as_deref().map_or(DeclaredType::Other, DeclaredType::parse)
    }
}

/// `a `float3` takes 4 numbers of f32 (the fourth is not used)`.
fn wanted(name: &str, element: Element, count: u32) -> String {
    match count {
        1 => format!("`{name}` is one {element}: give {element}"),
        3 => format!("`{name}` takes 4 numbers of {element}, of which the fourth is not used: give 4"),
        _ => format!("`{name}` takes {count} numbers of {element}: give {count}"),
    }
}

/// Why numbers of `given` (none: bytes of any type), `len` bytes long, are not an argument; none if they may be.
pub(crate) fn refuse_numbers(arg: &KernelArg, given: Option<Element>, len: usize) -> Option<String> {
    let declared = DeclaredType::of(arg);
    let name = arg.type_name.as_deref().unwrap_or("");
    let is_pointer = matches!(declared, DeclaredType::Pointer(_)) || arg.kind == ArgKind::GlobalBuffer;
    if len != arg.bytes as usize {
        let sizes = format!("expected {} bytes, got {len}", arg.bytes);
        return Some(match (declared, arg.kind) {
            (_, ArgKind::Image) => format!("{sizes}: it is an image"),
            (_, ArgKind::Sampler) => format!("{sizes}: it is a sampler"),
            _ if is_pointer => format!("{sizes}: it is a pointer, so give a buffer"),
            (DeclaredType::Numbers { element, count }, _) => {
                let of = given.filter(|g| !g.is_like(element)).map_or(String::new(), |g| format!(" of {g}"));
                format!("{sizes}{of}: {}", wanted(name, element, count))
            }
            (_, ArgKind::ByValue) if arg.type_name.is_none() => format!("{sizes} (the code object does not say of which type)"),
            _ => sizes,
        });
    }
    match (declared, given) {
        (DeclaredType::Numbers { element, count }, Some(given)) if !given.is_like(element) => {
            Some(format!("expected {element}, got {given}: {}", wanted(name, element, count)))
        }
        (_, Some(given)) if is_pointer && given.class != 'u' => {
            Some(format!("expected a pointer, got {given}: give a buffer, or its address as u64"))
        }
        _ => None,
    }
}

/// Why a pointer is not an argument; none if it may be.
pub(crate) fn refuse_pointer(arg: &KernelArg) -> Option<String> {
    let name = arg.type_name.as_deref().unwrap_or("");
    let why = match DeclaredType::of(arg) {
        DeclaredType::Numbers { element, count } if element.class == 'f' || count > 1 || element.bytes < 8 => wanted(name, element, count),
        _ if arg.bytes != 8 => "it is not a pointer".to_string(),
        _ => return None,
    };
    Some(format!("expected {} bytes by value, got a pointer of 8: {why}", arg.bytes))
}

/// The type of the numbers that an argument holds by value, and how many the source says: 1, 2, 3 (which take the room of 4), 4, 8 or 16. None if the
/// code object does not name a type, or if it is not one of numbers.
pub fn numbers(arg: &KernelArg) -> Option<(Element, u32)> {
    match DeclaredType::of(arg) {
        DeclaredType::Numbers { element, count } if arg.kind == ArgKind::ByValue => Some((element, count)),
        _ => None,
    }
}

/// Why a buffer of numbers is not what a pointer argument points to; none if it may be.
pub fn refuse_contents(arg: &KernelArg, given: Element) -> Option<String> {
    match DeclaredType::of(arg) {
        DeclaredType::Pointer(Some(element)) if !element.is_like(given) => {
            let name = arg.type_name.as_deref().unwrap_or("");
            Some(format!("`{name}` points to {element}, but the buffer is of {given}: give {element}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arg(kind: ArgKind, type_name: Option<&str>, bytes: u32) -> KernelArg {
        KernelArg {
            name: None,
            type_name: type_name.map(str::to_string),
            kind,
            bytes,
            offset: 0,
            address_space: None,
            pointee_align: None,
            access: None,
            is_const: false,
        }
    }

    // Names as clang 19 writes them for OpenCL.
    #[test]
    fn type_names_say_what_they_hold() {
        let numbers = |class, bytes, count| DeclaredType::Numbers { element: Element { class, bytes }, count };
        assert_eq!(DeclaredType::parse("float"), numbers('f', 4, 1));
        assert_eq!(DeclaredType::parse("uint16"), numbers('u', 4, 16));
        assert_eq!(DeclaredType::parse("half3"), numbers('f', 2, 3));
        assert_eq!(DeclaredType::parse("unsigned long"), numbers('u', 8, 1));
        assert_eq!(DeclaredType::parse("float4*"), DeclaredType::Pointer(Some(Element::F32)));
        assert_eq!(DeclaredType::parse("const double *"), DeclaredType::Pointer(Some(Element::F64)));
        for any in ["char*", "uchar4*", "void*", "struct point*", "real*", "int**", "float5*"] {
            assert_eq!(DeclaredType::parse(any), DeclaredType::Pointer(None), "{any}");
        }
        for other in ["", "struct point", "real", "image2d_t", "float5", "float16x", "3", "é3"] {
            assert_eq!(DeclaredType::parse(other), DeclaredType::Other, "{other}");
        }
    }

    #[test]
    fn numbers_of_other_types_are_refused_with_what_to_give() {
        let value = |name, bytes| arg(ArgKind::ByValue, Some(name), bytes);
        let float = value("float", 4);
        assert_eq!(refuse_numbers(&float, Some(Element::F32), 4), None);
        assert_eq!(refuse_numbers(&float, None, 4), None, "bytes are of any type");
        assert_eq!(refuse_numbers(&float, Some(Element::I32), 4).unwrap(), "expected f32, got i32: `float` is one f32: give f32");
        assert_eq!(refuse_numbers(&float, Some(Element::F64), 8).unwrap(), "expected 4 bytes, got 8 of f64: `float` is one f32: give f32");
        assert_eq!(refuse_numbers(&value("int", 4), Some(Element::U32), 4), None, "signs are not compared");
        let three = "expected 16 bytes, got 12: `float3` takes 4 numbers of f32, of which the fourth is not used: give 4";
        assert_eq!(refuse_numbers(&value("float3", 16), Some(Element::F32), 12).unwrap(), three);
        assert_eq!(
            refuse_numbers(&value("int2", 8), Some(Element::U64), 8).unwrap(),
            "expected i32, got u64: `int2` takes 2 numbers of i32: give 2"
        );
        assert_eq!(refuse_numbers(&value("struct s", 12), Some(Element::F32), 12), None, "structures are bytes");
        let unnamed = arg(ArgKind::ByValue, None, 4);
        assert_eq!(refuse_numbers(&unnamed, Some(Element::I32), 4), None);
        let unsaid = "expected 4 bytes, got 8 (the code object does not say of which type)";
        assert_eq!(refuse_numbers(&unnamed, Some(Element::F64), 8).unwrap(), unsaid);
    }

    #[test]
    fn pointers_are_not_numbers() {
        let pointer = arg(ArgKind::GlobalBuffer, Some("float*"), 8);
        assert_eq!(refuse_numbers(&pointer, Some(Element::F32), 4).unwrap(), "expected 8 bytes, got 4: it is a pointer, so give a buffer");
        assert!(refuse_numbers(&pointer, Some(Element::F64), 8).unwrap().starts_with("expected a pointer, got f64"));
        assert_eq!(refuse_numbers(&pointer, Some(Element::U64), 8), None, "an address, or NULL");
        assert_eq!(refuse_pointer(&pointer), None);
        assert_eq!(refuse_pointer(&arg(ArgKind::ByValue, Some("ulong"), 8)), None, "an address in an integer");
        let double = "expected 8 bytes by value, got a pointer of 8: `double` is one f64: give f64";
        assert_eq!(refuse_pointer(&arg(ArgKind::ByValue, Some("double"), 8)).unwrap(), double);
        assert!(refuse_pointer(&arg(ArgKind::ByValue, Some("int"), 4)).unwrap().ends_with("`int` is one i32: give i32"));
        assert_eq!(numbers(&pointer), None);
        assert_eq!(numbers(&arg(ArgKind::ByValue, Some("float3"), 16)), Some((Element::F32, 3)));
        assert!(refuse_pointer(&arg(ArgKind::ByValue, None, 4)).unwrap().ends_with("it is not a pointer"));
        assert_eq!(refuse_pointer(&arg(ArgKind::ByValue, Some("struct s"), 8)), None, "a structure with a pointer in it");
    }

    #[test]
    fn buffers_hold_what_the_pointer_points_to() {
        let pointer = |name| arg(ArgKind::GlobalBuffer, Some(name), 8);
        assert_eq!(refuse_contents(&pointer("float4*"), Element::F32), None);
        let wrong = "`float*` points to f32, but the buffer is of f64: give f32";
        assert_eq!(refuse_contents(&pointer("float*"), Element::F64).unwrap(), wrong);
        assert!(refuse_contents(&pointer("float*"), Element::I32).is_some());
        assert_eq!(refuse_contents(&pointer("int*"), Element::U32), None);
        assert_eq!(refuse_contents(&pointer("uchar*"), Element::F64), None, "bytes are what everything is made of");
        assert_eq!(refuse_contents(&arg(ArgKind::GlobalBuffer, None, 8), Element::F64), None);
    }
}
