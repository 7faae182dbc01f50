//! Decompresses the bytes of a page, never beyond the size in its header.
//!
//! This limit is why the module exists: some of the `parquet` crate's own codecs continue to the end of the input, and
//! a few kilobytes of gzip or brotli can decompress to gigabytes.

use std::io::{Cursor, Read};

use parquet::basic::Compression;

/// State that is reused between pages.
#[derive(Default)]
pub(super) struct Unpacker {
    zstd: Option<zstd::bulk::Decompressor<'static>>,
}

impl Unpacker {
    fn zstd(&mut self, packed: &[u8], length: usize, bytes: &mut Vec<u8>) -> std::io::Result<()> {
        let decompressor = match &mut self.zstd {
            Some(decompressor) => decompressor,
            none => none.insert(zstd::bulk::Decompressor::new()?),
        };
        bytes.reserve_exact(length);
        let mut end = Cursor::new(&mut *bytes);
        end.set_position(end.get_ref().len() as u64);
        decompressor.decompress_to_buffer(packed, &mut end).map(drop)
    }
}

/// Appends the decompressed data, which must have `length` bytes.
pub(super) fn unpack(
    unpacker: &mut Unpacker,
    codec: Compression,
    packed: &[u8],
    length: usize,
    bytes: &mut Vec<u8>,
) -> Result<(), String> {
    let start = bytes.len();
    // The compressed data of a page without values may be empty.
    if length == 0 {
        return Ok(());
    }
    check_ratio(codec, packed.len(), length)?;
    match codec {
        Compression::UNCOMPRESSED => bytes.extend_from_slice(packed),
        Compression::SNAPPY => {
            let held = snap::raw::decompress_len(packed).map_err(|error| error.to_string())?;
            if held != length {
                return Err(wrong_length(held, length));
            }
            bytes.resize(start + length, 0);
            snap::raw::Decoder::new().decompress(packed, &mut bytes[start..]).map_err(|error| error.to_string())?;
        }
        Compression::GZIP(_) => read_bounded(flate2::bufread::MultiGzDecoder::new(packed), length, bytes)?,
        Compression::BROTLI(_) => read_bounded(brotli::Decompressor::new(packed, 1 << 14), length, bytes)?,
        Compression::ZSTD(_) => unpacker.zstd(packed, length, bytes).map_err(|error| error.to_string())?,
        Compression::LZ4_RAW => {
            bytes.resize(start + length, 0);
            let written = lz4_block(packed, &mut bytes[start..])?;
            bytes.truncate(start + written);
        }
        Compression::LZ4 => lz4_of_old(packed, length, bytes)?,
        Compression::LZO => return Err("packed with LZO, which lookalike does not unpack".to_owned()),
    }
    if bytes.len() - start == length { Ok(()) } else { Err(wrong_length(bytes.len() - start, length)) }
}

fn wrong_length(held: usize, length: usize) -> String {
    format!("a page unpacks to {held} bytes, and its header says {length}")
}

/// Rejects a size that the compressed data cannot have, before memory is allocated for it.
fn check_ratio(codec: Compression, packed: usize, length: usize) -> Result<(), String> {
    // Maximum compression ratio of each format.
    let most = match codec {
        Compression::UNCOMPRESSED => 1,
        Compression::SNAPPY => 32,
        Compression::LZ4 | Compression::LZ4_RAW => 256,
        Compression::GZIP(_) => 1_100,
        Compression::BROTLI(_) | Compression::ZSTD(_) | Compression::LZO => return Ok(()),
    };
    if length / most > packed + 64 {
        return Err(format!("a page of {packed} bytes says that it unpacks to {length}"));
    }
    Ok(())
}

/// Reads one byte more than expected, to detect an excess.
fn read_bounded(reader: impl Read, length: usize, bytes: &mut Vec<u8>) -> Result<(), String> {
    reader.take(length as u64 + 1).read_to_end(bytes).map(drop).map_err(|error| error.to_string())
}

fn lz4_block(packed: &[u8], room: &mut [u8]) -> Result<usize, String> {
    lz4_flex::block::decompress_into(packed, room).map_err(|error| error.to_string())
}

/// The codec that was called LZ4 before `LZ4_RAW`. Hadoop wrote blocks, each preceded by two lengths; others wrote LZ4
/// frames, and others a single block.
fn lz4_of_old(packed: &[u8], length: usize, bytes: &mut Vec<u8>) -> Result<(), String> {
    let start = bytes.len();
    bytes.resize(start + length, 0);
    if hadoop_blocks(packed, &mut bytes[start..]).is_some() {
        return Ok(());
    }
    bytes.truncate(start);
    if read_bounded(lz4_flex::frame::FrameDecoder::new(packed), length, bytes).is_ok() && bytes.len() - start == length
    {
        return Ok(());
    }
    bytes.truncate(start);
    bytes.resize(start + length, 0);
    let written = lz4_block(packed, &mut bytes[start..])?;
    bytes.truncate(start + written);
    Ok(())
}

/// Fills `room` from blocks, each preceded by its decompressed and compressed length. None if the data has another
/// format.
fn hadoop_blocks(mut packed: &[u8], mut room: &mut [u8]) -> Option<()> {
    while !room.is_empty() {
        let (unpacked_length, rest) = packed.split_first_chunk()?;
        let (packed_length, rest) = rest.split_first_chunk()?;
        let unpacked_length = u32::from_be_bytes(*unpacked_length) as usize;
        let (block, rest) = rest.split_at_checked(u32::from_be_bytes(*packed_length) as usize)?;
        let (here, further) = room.split_at_mut_checked(unpacked_length)?;
        if lz4_block(block, here).ok()? != unpacked_length {
            return None;
        }
        (packed, room) = (rest, further);
    }
    packed.is_empty().then_some(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use parquet::basic::GzipLevel;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_page_that_unpacks_to_more_than_it_says_is_stopped() {
        let mut bytes = Vec::new();
        let bomb = gzip(&vec![0; 10_000_000]);
        let error =
            unpack(&mut Unpacker::default(), Compression::GZIP(GzipLevel::default()), &bomb, 100_000, &mut bytes)
                .unwrap_err();
        assert_eq!(error, "a page unpacks to 100001 bytes, and its header says 100000");
        assert!(bytes.capacity() < 1_000_000);
    }

    #[test]
    fn a_promise_that_cannot_be_kept_takes_no_memory() {
        let mut bytes = Vec::new();
        assert!(unpack(&mut Unpacker::default(), Compression::SNAPPY, &[0; 100], 1 << 30, &mut bytes).is_err());
        assert!(unpack(&mut Unpacker::default(), Compression::LZ4, &[0; 100], 1 << 30, &mut bytes).is_err());
        assert_eq!(bytes.capacity(), 0);
    }

    #[test]
    fn lz4_is_unpacked_in_all_three_forms_of_old() {
        let text = b"one and one and one and one and one and two".repeat(20);
        let block = lz4_flex::block::compress(&text);
        let mut frame = lz4_flex::frame::FrameEncoder::new(Vec::new());
        frame.write_all(&text).unwrap();
        let mut hadoop = Vec::new();
        for half in [&text[..300], &text[300..]] {
            let packed = lz4_flex::block::compress(half);
            hadoop.extend((half.len() as u32).to_be_bytes());
            hadoop.extend((packed.len() as u32).to_be_bytes());
            hadoop.extend(packed);
        }
        for packed in [block, frame.finish().unwrap(), hadoop] {
            let mut bytes = b"before".to_vec();
            unpack(&mut Unpacker::default(), Compression::LZ4, &packed, text.len(), &mut bytes).unwrap();
            assert_eq!(bytes, [b"before", &*text].concat());
        }
    }
}
