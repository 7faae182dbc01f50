//! Sizes as people write them.

use std::fmt;

use lookalike_core::remedy::JobOption;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};

use crate::refused::Refused;

/// A size: a number of bytes, or text such as `500M`, `1.5GB` or `2GiB`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size(String);

impl Size {
    /// The number of bytes, if it is within bounds.
    pub(crate) fn check(&self, option: JobOption, least: u64, most: u64, allowed: &str) -> Result<u64, Refused> {
        let bytes =
            parse_size(&self.0).ok_or_else(|| Refused::unknown_word(option, &self.0, "a size such as 500M or 4G"))?;
        if (least..=most).contains(&bytes) { Ok(bytes) } else { Err(Refused::out_of_range(option, &self.0, allowed)) }
    }
}

impl From<u64> for Size {
    fn from(bytes: u64) -> Self {
        Self(bytes.to_string())
    }
}

impl From<&str> for Size {
    fn from(written: &str) -> Self {
        Self(written.to_owned())
    }
}

impl From<String> for Size {
    fn from(written: String) -> Self {
        Self(written)
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SizeVisitor;

        impl Visitor<'_> for SizeVisitor {
            type Value = Size;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a size such as 500M, or a number of bytes")
            }

            fn visit_i64<E: Error>(self, bytes: i64) -> Result<Size, E> {
                Ok(Size(bytes.to_string()))
            }

            fn visit_u64<E: Error>(self, bytes: u64) -> Result<Size, E> {
                Ok(Size(bytes.to_string()))
            }

            fn visit_str<E: Error>(self, written: &str) -> Result<Size, E> {
                Ok(Size(written.to_owned()))
            }
        }

        deserializer.deserialize_any(SizeVisitor)
    }
}

/// A size as people write it: 500, 64k, 256M, 1.5GB, 2GiB. Without an `i`, steps are of a thousand, as they are shown.
pub fn parse_size(written: &str) -> Option<u64> {
    let written = written.trim();
    let unit = written.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(written.len());
    let number: f64 = written[..unit].trim().parse().ok()?;
    let (steps, step): (i32, f64) = match written[unit..].to_ascii_lowercase().as_str() {
        "" | "b" => (0, 1000.0),
        "k" | "kb" => (1, 1000.0),
        "m" | "mb" => (2, 1000.0),
        "g" | "gb" => (3, 1000.0),
        "t" | "tb" => (4, 1000.0),
        "kib" => (1, 1024.0),
        "mib" => (2, 1024.0),
        "gib" => (3, 1024.0),
        "tib" => (4, 1024.0),
        _ => return None,
    };
    (number.is_finite() && number >= 0.0).then(|| (number * step.powi(steps)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_they_are_shown() {
        let sizes =
            [("500", 500), ("64k", 64_000), ("256M", 256_000_000), ("1.5 GB", 1_500_000_000), ("2GiB", 2 << 30)];
        for (written, bytes) in sizes {
            assert_eq!(parse_size(written), Some(bytes), "{written}");
        }
        for wrong in ["", "M", "-1", "1X", "1e400", "nan"] {
            assert_eq!(parse_size(wrong), None, "{wrong}");
        }
    }
}
