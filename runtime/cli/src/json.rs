//! Just enough JSON to print `wavejit info --json` and profiles.

use std::fmt;

/// A JSON value.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Json {
    Null,
    Bool(bool),
    Number(u64),
    Signed(i64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl From<&str> for Json {
    fn from(s: &str) -> Json {
        Json::Text(s.to_string())
    }
}
impl From<String> for Json {
    fn from(s: String) -> Json {
        Json::Text(s)
    }
}
impl From<u32> for Json {
    fn from(n: u32) -> Json {
        Json::Number(n.into())
    }
}
impl From<u64> for Json {
    fn from(n: u64) -> Json {
        Json::Number(n)
    }
}
impl From<bool> for Json {
    fn from(b: bool) -> Json {
        Json::Bool(b)
    }
}
impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(v: Option<T>) -> Json {
        v.map_or(Json::Null, Into::into)
    }
}
impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(v: Vec<T>) -> Json {
        Json::List(v.into_iter().map(Into::into).collect())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(f, 0)
    }
}

impl Json {
    fn print(&self, f: &mut fmt::Formatter<'_>, indent: usize) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, depth: usize| write!(f, "\n{:1$}", "", 2 * depth);
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(b) => write!(f, "{b}"),
            Json::Number(n) => write!(f, "{n}"),
            Json::Signed(n) => write!(f, "{n}"),
            Json::Text(s) => print_text(f, s),
            Json::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { "," })?;
                    line(f, indent + 1)?;
                    item.print(f, indent + 1)?;
                }
                if !items.is_empty() {
                    line(f, indent)?;
                }
                f.write_str("]")
            }
            Json::Object(items) => {
                f.write_str("{")?;
                for (i, (key, item)) in items.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { "," })?;
                    line(f, indent + 1)?;
                    print_text(f, key)?;
                    f.write_str(": ")?;
                    item.print(f, indent + 1)?;
                }
                line(f, indent)?;
                f.write_str("}")
            }
        }
    }
}

fn print_text(f: &mut fmt::Formatter<'_>, s: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in s.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            c if (c as u32) < 0x20 => write!(f, "\\u{:04x}", c as u32)?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_valid_json() {
        let value = Json::Object(vec![("a", vec![1u32, 2].into()), ("b", "x\"\\\n".into()), ("c", Json::from(None::<u32>))]);
        assert_eq!(value.to_string(), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": \"x\\\"\\\\\\u000a\",\n  \"c\": null\n}");
    }
}
