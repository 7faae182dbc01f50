//! Definition of exact copies for runs that look only for copies: the same content, or the same bytes, with a checksum
//! that other systems know.
//!
//! A checksum is shown, but decides nothing. Different texts often have the same sum of bytes, and any corpus of a
//! hundred thousand texts has some with the same CRC-32; so copies are found by a 128-bit hash, and texts that share a
//! checksum without being copies are counted.

use std::fmt;

use md5::{Digest, Md5};

crate::word_enum! {
    /// Content that two exact copies share.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Checksum {
        /// The same [content](crate::text::content): every character, up to its encoding and white space at line ends.
        #[default]
        Text,
        /// The same bytes, whose MD5 is shown.
        Md5,
        /// The same bytes, whose CRC-32 is shown.
        Crc32,
        /// The same bytes, the sum of which is shown.
        Sum,
    }
}

/// A checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sum {
    /// MD5.
    Md5([u8; 16]),
    /// CRC-32.
    Crc32(u32),
    /// The sum of all bytes.
    Bytes(u64),
}

impl Checksum {
    /// The checksum of a text that is shown, if any.
    pub fn of(self, text: &str) -> Option<Sum> {
        let bytes = text.as_bytes();
        match self {
            Self::Text => None,
            Self::Md5 => Some(Sum::Md5(Md5::digest(bytes).into())),
            Self::Crc32 => Some(Sum::Crc32(crc32fast::hash(bytes))),
            Self::Sum => Some(Sum::Bytes(bytes.iter().map(|byte| u64::from(*byte)).sum())),
        }
    }

    /// True if documents have a checksum that is shown.
    pub fn is_shown(self) -> bool {
        self != Self::Text
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Sum {
    /// As words, for storage.
    pub fn words(self) -> [u64; 3] {
        match self {
            Self::Md5(bytes) => {
                let sum = u128::from_ne_bytes(bytes);
                [0, sum as u64, (sum >> 64) as u64]
            }
            Self::Crc32(sum) => [1, u64::from(sum), 0],
            Self::Bytes(sum) => [2, sum, 0],
        }
    }

    /// The checksum stored as these words.
    pub fn of_words(words: [u64; 3]) -> Self {
        match words {
            [0, low, high] => Self::Md5((u128::from(high) << 64 | u128::from(low)).to_ne_bytes()),
            [1, sum, _] => Self::Crc32(sum as u32),
            [_, sum, _] => Self::Bytes(sum),
        }
    }
}

/// As other systems write it: hexadecimal.
impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Md5(bytes) => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
            Self::Crc32(sum) => write!(f, "{sum:08x}"),
            Self::Bytes(sum) => write!(f, "{sum:x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_other_systems() {
        let of = |checksum: Checksum, text: &str| checksum.of(text).unwrap().to_string();
        // The example of Croft, Metzler and Strohman (Search Engines, 2010); `md5sum` and `crc32` of the same bytes.
        assert_eq!(of(Checksum::Sum, "Tropical fish"), "508");
        assert_eq!(of(Checksum::Md5, "Tropical fish"), "19556670d7c50bae6a81b0f1d7022500");
        assert_eq!(of(Checksum::Crc32, "Tropical fish"), "18f14f94");
        assert_eq!(of(Checksum::Md5, ""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(of(Checksum::Crc32, "123456789"), "cbf43926");
    }
}
