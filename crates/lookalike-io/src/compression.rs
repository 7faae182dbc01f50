//! Compression: known by the first bytes, undone as a stream, and done again in pieces.

use std::io::{self, BufRead, BufReader, Read, Write};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// One gzip member or many.
    Gzip,
    /// One Zstandard frame or many.
    Zstd,
}

impl Compression {
    /// Told by the first bytes of a file.
    pub fn of(start: &[u8]) -> Self {
        match start {
            [0x1F, 0x8B, ..] => Self::Gzip,
            // A frame, or a skippable one, which some writers put first.
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Self::Zstd,
            _ => Self::None,
        }
    }

    /// The word for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// A reader of what `compressed` holds.
    ///
    /// # Errors
    ///
    /// When a decoder cannot be made.
    pub fn decode(self, compressed: impl BufRead + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::None => Box::new(compressed),
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(compressed)),
            Self::Zstd => Box::new(zstd::Decoder::with_buffer(compressed)?),
        })
    }

    /// Compresses a piece by itself. Pieces can be written one after the other: both formats allow it.
    ///
    /// # Errors
    ///
    /// When the encoder fails, which means there is no memory.
    pub fn encode(self, piece: Vec<u8>) -> io::Result<Vec<u8>> {
        match self {
            Self::None => Ok(piece),
            Self::Gzip => {
                let room = Vec::with_capacity(piece.len() / 3);
                let mut encoder = flate2::write::GzEncoder::new(room, flate2::Compression::default());
                encoder.write_all(&piece)?;
                encoder.finish()
            }
            Self::Zstd => zstd::bulk::compress(&piece, zstd::DEFAULT_COMPRESSION_LEVEL),
        }
    }
}

/// A buffer in front of a decoder, large enough that the disk is asked seldom.
pub(crate) fn buffered<R: Read>(reader: R) -> BufReader<R> {
    BufReader::with_capacity(256 << 10, reader)
}
