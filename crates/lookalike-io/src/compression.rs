//! Compression: detected from the first bytes, decoded as a stream, and encoded in pieces.

use std::io::{self, BufRead, BufReader, Read};

use zstd::zstd_safe::get_error_name;
use zstd::zstd_safe::zstd_sys::ZSTD_ErrorCode;

/// Compression of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Uncompressed.
    None,
    /// One or more gzip members.
    Gzip,
    /// One or more Zstandard frames.
    Zstd,
}

impl Compression {
    /// Detects the compression from the first bytes of a file.
    pub fn of(start: &[u8]) -> Self {
        match start {
            [0x1F, 0x8B, ..] => Self::Gzip,
            // A frame, or a skippable one, which some writers put first.
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Self::Zstd,
            _ => Self::None,
        }
    }

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// A reader that decompresses `compressed`. Zstandard frames may use windows of up to `1 << window_log` bytes.
    ///
    /// # Errors
    ///
    /// If a decoder cannot be created.
    pub fn decode(
        self,
        compressed: impl BufRead + Send + 'static,
        window_log: u32,
    ) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::None => Box::new(compressed),
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(compressed)),
            Self::Zstd => zstd_decoder(compressed, window_log)?,
        })
    }

    /// Compresses a piece independently. Compressed pieces can be concatenated in both formats.
    ///
    /// # Errors
    ///
    /// If the encoder fails, which means that memory ran out.
    pub fn encode(self, piece: Vec<u8>) -> io::Result<Vec<u8>> {
        if self == Self::None {
            return Ok(piece);
        }
        let mut packed = Vec::new();
        Packer::new(self)?.pack(&piece, &mut packed)?;
        Ok(packed)
    }
}

/// Compresses pieces independently. An encoder is large, and records are small, so one encoder is reused for all.
pub(crate) enum Packer {
    Plain,
    Gzip(libdeflater::Compressor),
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Packer {
    pub(crate) fn new(compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Self::Plain,
            Compression::Gzip => Self::Gzip(libdeflater::Compressor::new(libdeflater::CompressionLvl::default())),
            Compression::Zstd => Self::Zstd(zstd::bulk::Compressor::new(zstd::DEFAULT_COMPRESSION_LEVEL)?),
        })
    }

    /// Appends a piece to `packed`, as a separate gzip member or zstd frame.
    pub(crate) fn pack(&mut self, piece: &[u8], packed: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Self::Plain => packed.extend_from_slice(piece),
            Self::Gzip(encoder) => {
                let start = packed.len();
                packed.resize(start + encoder.gzip_compress_bound(piece.len()), 0);
                let length = encoder.gzip_compress(piece, &mut packed[start..]).map_err(io::Error::other)?;
                packed.truncate(start + length);
            }
            Self::Zstd(encoder) => packed.extend(encoder.compress(piece)?),
        }
        Ok(())
    }
}

/// Start of a skippable frame that contains the dictionary of all following frames, as in zstd crawls.
const DICTIONARY: [u8; 4] = [0x5D, 0x2A, 0x4D, 0x18];

/// Maximum length of a dictionary: usual ones have 100 kB.
const LONGEST_DICTIONARY: u32 = 16 << 20;

/// True if a decoder failed because a frame needs a larger window than allowed.
pub(crate) fn is_window_too_large(error: &io::Error) -> bool {
    // The decoder keeps only the name of zstd's error code, and returns a code as its negative.
    let code = ZSTD_ErrorCode::ZSTD_error_frameParameter_windowTooLarge as usize;
    error.to_string() == get_error_name(code.wrapping_neg())
}

fn zstd_decoder(mut compressed: impl BufRead + Send + 'static, window_log: u32) -> io::Result<Box<dyn Read + Send>> {
    if !compressed.fill_buf()?.starts_with(&DICTIONARY) {
        let mut decoder = zstd::Decoder::with_buffer(compressed)?;
        decoder.window_log_max(window_log)?;
        return Ok(Box::new(decoder));
    }
    let mut header = [0; 8];
    compressed.read_exact(&mut header)?;
    let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
    if length > LONGEST_DICTIONARY {
        return Err(io::Error::other("a dictionary that is too long to be one"));
    }
    let mut dictionary = Vec::new();
    compressed.by_ref().take(length.into()).read_to_end(&mut dictionary)?;
    if Compression::of(&dictionary) == Compression::Zstd {
        let mut unpacked = Vec::new();
        let decoder = zstd::Decoder::with_buffer(&*dictionary)?;
        decoder.take(LONGEST_DICTIONARY.into()).read_to_end(&mut unpacked)?;
        dictionary = unpacked;
    }
    let mut decoder = zstd::Decoder::with_dictionary(compressed, &dictionary)?;
    decoder.window_log_max(window_log)?;
    Ok(Box::new(decoder))
}

/// Size of reads from disk: large enough that they are rare.
pub(crate) const BUFFER: usize = 256 << 10;

/// A buffer in front of a decoder.
pub(crate) fn buffered<R: Read>(reader: R) -> BufReader<R> {
    BufReader::with_capacity(BUFFER, reader)
}
