//! Parses ISO/IEC 19794-2:2005 finger minutiae records to prints, one per view of a finger.
//!
//! ```text
//! header  "FMR\0"  " 20\0"  length:4  device:2  width:2  height:2  x resolution:2  y resolution:2  views:1  0:1
//! view    finger:1  view and impression:1  quality:1  minutiae:1
//! minutia kind and x:2  y:2  angle:1  quality:1            kind: the two upper bits of x; angle: 256ths of a turn
//! extra   length:2  and as many bytes: ridge counts, cores and deltas, which are not used
//! ```
//!
//! All numbers are big-endian. The bytes are not trusted: everything is read through `Reader`, and the result is never
//! larger than the input.

use super::{DEFAULT_RESOLUTION, Kind, Minutia, Print};
use crate::error::{Error, Result};

const MAGIC: &[u8; 4] = b"FMR\0";
const VERSION: &[u8; 4] = b" 20\0";
/// Degrees per unit of an angle.
const ANGLE_STEP: f64 = 360.0 / 256.0;

/// True if the bytes start like a template, even if only with part of its first word: then it was truncated.
pub fn starts_as_template(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || !bytes.is_empty() && MAGIC.starts_with(bytes)
}

/// Parses the prints of a template. A view without minutiae gives a print without minutiae.
///
/// # Errors
///
/// [`Error::NotATemplate`] if the bytes start with something else; [`Error::TemplateCutShort`] if they end too early.
pub fn parse_template(bytes: &[u8]) -> Result<Vec<Print>> {
    if !starts_as_template(bytes) {
        return Err(Error::NotATemplate { reason: "it does not begin with FMR" });
    }
    let mut reader = Reader { bytes, at: 0 };
    reader.take(MAGIC.len(), "the first word")?;
    if reader.take(VERSION.len(), "the version")? != VERSION {
        return Err(Error::NotATemplate { reason: "only version 20, of 2005, is known" });
    }
    let length = reader.number(4, "the length")?;
    // ANSI INCITS 378-2004 starts in the same way, but its length has two bytes, followed by two bytes of the product.
    // No value read as four bytes here is a valid length of an ISO/IEC template: 255 views of 65,535 bytes of extended
    // data.
    if length >> 16 > 0xFF || (length as usize) > bytes.len() && bytes.len() == (length >> 16) as usize {
        return Err(Error::NotATemplate { reason: "it is of ANSI INCITS 378, not of ISO/IEC 19794-2" });
    }
    if (length as usize) > bytes.len() {
        return Err(Error::TemplateCutShort { part: "the template", wanted: length as usize, length: bytes.len() });
    }
    reader.number(2, "the device")?;
    let width = reader.number(2, "the width")?;
    let height = reader.number(2, "the height")?;
    let across = reader.number(2, "the resolution")?;
    let down = reader.number(2, "the resolution")?;
    let view_count = reader.number(1, "the views")?;
    reader.number(1, "the header")?;

    // Some writers leave these at 0.
    let size = (width > 0 && height > 0).then_some((width, height));
    let resolution = if across > 0 { f64::from(across) } else { DEFAULT_RESOLUTION };
    let stretch = if across > 0 && down > 0 { f64::from(across) / f64::from(down) } else { 1.0 };
    let size = size.map(|(width, height)| (width, (f64::from(height) * stretch).ceil() as u32));
    (0..view_count).map(|_| Ok(Print { minutiae: view(&mut reader, stretch)?, size, resolution })).collect()
}

/// Parses the minutiae of one view. `stretch` makes its pixels square.
fn view(reader: &mut Reader<'_>, stretch: f64) -> Result<Vec<Minutia>> {
    reader.number(3, "a view")?;
    let count = reader.number(1, "a view")?;
    let minutiae = reader.take(6 * count as usize, "the minutiae")?;
    let minutiae = minutiae.chunks_exact(6).map(|bytes| {
        let (x, y) = (u16::from_be_bytes([bytes[0], bytes[1]]), u16::from_be_bytes([bytes[2], bytes[3]]));
        Minutia {
            x: f64::from(x & 0x3FFF),
            y: f64::from(y & 0x3FFF) * stretch,
            angle: f64::from(bytes[4]) * ANGLE_STEP,
            kind: match x >> 14 {
                1 => Kind::Ending,
                2 => Kind::Bifurcation,
                _ => Kind::Other,
            },
        }
    });
    let minutiae = minutiae.collect();
    let extra = reader.number(2, "the length of the extra data")?;
    reader.take(extra as usize, "the extra data")?;
    Ok(minutiae)
}

/// Writes a template of prints with the size and resolution of the first. Positions are rounded to pixels, and angles
/// to 256ths of a turn.
///
/// `None` if there are more than 255 prints, more than 255 minutiae in one, or a position that the format cannot
/// represent.
pub fn write_template(prints: &[Print]) -> Option<Vec<u8>> {
    let first = prints.first()?;
    let (width, height) = first.size.unwrap_or((0, 0));
    let mut body = Vec::new();
    for (view, print) in prints.iter().enumerate() {
        // Unknown finger, number of the view, unknown quality.
        body.extend([0, (view as u8) << 4, 0, u8::try_from(print.minutiae.len()).ok()?]);
        for minutia in &print.minutiae {
            let kind = match minutia.kind {
                Kind::Other => 0,
                Kind::Ending => 1,
                Kind::Bifurcation => 2,
            };
            let (x, y) = (minutia.x.round(), minutia.y.round());
            if !(0.0..16384.0).contains(&x) || !(0.0..16384.0).contains(&y) || !minutia.angle.is_finite() {
                return None;
            }
            body.extend((kind << 14 | x as u16).to_be_bytes());
            body.extend((y as u16).to_be_bytes());
            body.extend([((minutia.angle.rem_euclid(360.0) / ANGLE_STEP).round() as u16 % 256) as u8, 0]);
        }
        body.extend([0, 0]);
    }
    let resolution = (first.resolution.round() as u16).to_be_bytes();
    let mut bytes = [MAGIC.as_slice(), VERSION].concat();
    bytes.extend((24 + body.len() as u32).to_be_bytes());
    bytes.extend([0, 0]);
    bytes.extend(u16::try_from(width).ok()?.to_be_bytes());
    bytes.extend(u16::try_from(height).ok()?.to_be_bytes());
    bytes.extend([resolution, resolution].concat());
    bytes.extend([u8::try_from(prints.len()).ok()?, 0]);
    bytes.extend(body);
    Some(bytes)
}

/// Bytes and the current read position.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize, part: &'static str) -> Result<&'a [u8]> {
        let wanted = self.at.saturating_add(count);
        let cut_short = Error::TemplateCutShort { part, wanted, length: self.bytes.len() };
        let taken = self.bytes.get(self.at..wanted).ok_or(cut_short)?;
        self.at = wanted;
        Ok(taken)
    }

    fn number(&mut self, count: usize, part: &'static str) -> Result<u32> {
        Ok(self.take(count, part)?.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn template() -> Vec<u8> {
        let minutia = |x, y, angle, kind| Minutia { x, y, angle, kind };
        let first = Print {
            minutiae: vec![
                minutia(165.0, 48.0, 150.46875, Kind::Bifurcation),
                minutia(16383.0, 0.0, 0.0, Kind::Ending),
                minutia(7.0, 399.0, 358.59375, Kind::Other),
            ],
            size: Some((300, 400)),
            resolution: 197.0,
        };
        write_template(&[first.clone(), Print { minutiae: Vec::new(), ..first }]).unwrap()
    }

    #[test]
    fn a_record_by_the_letter_of_the_standard_is_read() {
        let bytes = b"FMR\0 20\0\0\0\0\x27\0\0\x01\x2C\x01\x90\0\xC5\0\xC5\x01\0\
            \x01\0\x50\x01\x80\xA5\0\x30\x40\x00\0\x03abc";
        let prints = parse_template(bytes).unwrap();
        let minutia = Minutia { x: 165.0, y: 48.0, angle: 90.0, kind: Kind::Bifurcation };
        assert_eq!(prints, [Print { minutiae: vec![minutia], size: Some((300, 400)), resolution: 197.0 }]);
    }

    #[test]
    fn what_was_written_is_read_back() {
        let prints = parse_template(&template()).unwrap();
        assert_eq!(prints.len(), 2);
        assert_eq!(prints[0].minutiae.len(), 3);
        assert_eq!(write_template(&prints).unwrap(), template());
    }

    #[test]
    fn every_cut_is_told_with_its_place() {
        let whole = template();
        for length in 1..whole.len() {
            let error = parse_template(&whole[..length]).unwrap_err();
            assert!(matches!(error, Error::TemplateCutShort { length: told, .. } if told == length), "{error}");
        }
    }

    #[test]
    fn a_length_that_hides_the_cut_does_not_help() {
        let mut bytes = template();
        bytes.truncate(40);
        bytes[8..12].copy_from_slice(&40_u32.to_be_bytes());
        assert!(matches!(parse_template(&bytes), Err(Error::TemplateCutShort { part: "the minutiae", .. })));
    }

    #[test]
    fn other_formats_are_named() {
        for (bytes, said) in [
            (b"".as_slice(), "FMR"),
            (b"FIR\x00020\0", "FMR"),
            (b"FMR\0 30\0", "2005"),
            (b"FMR\0 20\0\0\x1A\0\x01\0\x02\0\0\0\0\0\0\0\0\0\0\0\0", "ANSI"),
        ] {
            let message = parse_template(bytes).unwrap_err().to_string();
            assert!(message.contains(said), "{message}");
        }
    }

    #[test]
    fn pixels_that_are_not_square_are_made_square() {
        let mut bytes = template();
        bytes[20..22].copy_from_slice(&394_u16.to_be_bytes());
        let prints = parse_template(&bytes).unwrap();
        assert!((prints[0].minutiae[0].y - 24.0).abs() < 1e-9);
        assert_eq!(prints[0].size, Some((300, 200)));
    }

    proptest! {
        #[test]
        fn any_bytes_are_prints_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = parse_template(&bytes);
            let header: Vec<u8> = [b"FMR\0 20\0\0\0\0\0".as_slice(), &bytes].concat();
            if let Ok(prints) = parse_template(&header) {
                let count: usize = prints.iter().map(|print| print.minutiae.len()).sum();
                prop_assert!(6 * count <= header.len());
            }
        }

        #[test]
        fn a_damaged_template_is_prints_or_an_error(at in 0..60_usize, byte in any::<u8>(), length in 0..60_usize) {
            let mut bytes = template();
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
            bytes.truncate(length);
            let _ = parse_template(&bytes);
        }
    }
}
