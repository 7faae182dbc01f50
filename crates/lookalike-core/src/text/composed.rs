//! Converts text to Unicode's NFC: nearly all text is in NFC already, which is detected from its bytes.
//!
//! A character is *plain* if NFC neither changes it, nor moves it, nor composes it with the one before it: ASCII,
//! letters of Latin, Greek, Cyrillic, Hebrew and Arabic, ideographs, kana, Hangul, common punctuation, emoji. ICU4X
//! processes a text only from the first character that is not plain, at a fifth of the speed.

use icu_normalizer::{ComposingNormalizer, ComposingNormalizerBorrowed};

const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfc();

/// Number of bytes checked together.
const BLOCK: usize = 64;

/// First byte of the first character that is not plain: everything below U+0300 is.
const DOUBTFUL: u8 = 0xCC;

/// Returns `text` in NFC: the text itself if it is composed already, otherwise the contents of `buffer`.
pub(super) fn compose<'a>(text: &'a str, buffer: &'a mut String) -> &'a str {
    let plain = plain_end(text);
    if plain == text.len() {
        return text;
    }
    let (plain, rest) = text.split_at(plain);
    let (composed, rest) = NFC.split_normalized(rest);
    if rest.is_empty() {
        return text;
    }
    buffer.clear();
    buffer.push_str(plain);
    buffer.push_str(composed);
    NFC.normalize_to(rest, buffer).expect("a string takes everything");
    buffer
}

/// Length in bytes of the part of a text that is certainly in NFC, whatever follows: all of it, or the part before the
/// last plain character ahead of a doubtful one.
fn plain_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    // The loop reads two more bytes than the block has; past the end of the text they count as zeros.
    let whole = bytes.len().saturating_sub(2) / BLOCK * BLOCK;
    let doubtful = (0..whole).step_by(BLOCK).find(|start| {
        let [first, second, third] = [0, 1, 2].map(|at| &bytes[start + at..start + at + BLOCK]);
        // Folds without a branch, so that the compiler can vectorize them.
        first.iter().fold(0, |most, byte| most.max(*byte)) >= DOUBTFUL
            && first.iter().zip(second).zip(third).fold(false, |any, ((a, b), c)| any | is_doubtful(*a, *b, *c))
    });
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let is_doubtful_at = |at: &usize| is_doubtful(byte(*at), byte(at + 1), byte(at + 2));
    let Some(doubtful) = (doubtful.unwrap_or(whole)..bytes.len()).find(is_doubtful_at) else { return bytes.len() };
    // A doubtful character may compose with the last plain one.
    text[..doubtful].char_indices().next_back().map_or(0, |(start, _)| start)
}

/// True if three bytes begin with those of a character that is not known to be plain.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called for every byte, and made SIMD of only where it is called")]
#[expect(clippy::needless_bitwise_bool, clippy::manual_range_contains, reason = "a branch would be no SIMD")]
fn is_doubtful(a: u8, b: u8, c: u8) -> bool {
    // Letters of Greek (without U+0387), Cyrillic, Armenian, Hebrew and Arabic, without their marks.
    let greek = (a == 0xCE) & (b != 0x87) | (a == 0xCF);
    let cyrillic = (a >= 0xD0) & (a <= 0xD5) & (a != 0xD2);
    let hebrew = (a == 0xD7) & (b >= 0x90);
    let arabic = (a == 0xD8) & (b >= 0x9B) | (a == 0xD9) & (b <= 0x8A) | (a == 0xDA);
    // U+1E00 to U+1EFF; U+2002 to U+203F, U+20A0 to U+20BF; U+3000 to U+3029; kana without the marks that voice them.
    let latin = (a == 0xE1) & (b >= 0xB8) & (b <= 0xBB);
    let punctuation = (a == 0xE2) & ((b == 0x80) & (c >= 0x82) | (b == 0x82) & (c >= 0xA0));
    let kana =
        (a == 0xE3) & ((b == 0x80) & (c < 0xAA) | (b == 0x81) | (b == 0x82) & (c != 0x99) & (c != 0x9A) | (b == 0x83));
    // Ideographs and Hangul; full-width forms; emoji.
    let east = (a >= 0xE4) & (a <= 0xEE) & (a != 0xEA) | (a == 0xEA) & (b >= 0xB0);
    let wide = (a == 0xEF) & (b >= 0xBC) & (b <= 0xBE);
    let emoji = (a == 0xF0) & (b == 0x9F);
    (a >= DOUBTFUL) & !(greek | cyrillic | hebrew | arabic | latin | punctuation | kana | east | wide | emoji)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn composed(text: &str) -> String {
        compose(text, &mut String::new()).to_owned()
    }

    #[test]
    fn plain_characters_are_left_alone_by_nfc_wherever_they_stand() {
        let mut plain = 0;
        for c in '\0'..=char::MAX {
            let mut bytes = [0; 4];
            let length = c.encode_utf8(&mut bytes).len();
            if !is_doubtful(bytes[0], bytes[1], bytes[2]) {
                plain += 1;
                // After a letter, after marks that would be sorted, and before a mark that would compose with a
                // character that NFC changes.
                for text in [format!("a{c}"), format!("q\u{323}{c}"), format!("\u{1100}{c}"), format!("{c}")] {
                    assert!(NFC.is_normalized(&text), "{c:?}");
                }
            }
            assert!((0..length).skip(1).all(|at| !is_doubtful(bytes[at], 0, 0)), "{c:?}");
        }
        // Half of these are ideographs, a quarter is Hangul.
        assert!(plain > 40_000, "{plain}");
    }

    #[test]
    fn ordinary_text_is_plain() {
        for text in [
            "“Crème brûlée” – 5 €, naïve 😀",
            "Ёлка, йод и ещё «так»",
            "Ελληνικά",
            "渡轮七点开往松德。（今天）！",
            "フェリーは七時にガ、",
            "페리는 일곱시에",
            "تغادر العبارة إلى سوند؟",
            "שלום",
            "Thứ 5, Đà Nẵng",
        ] {
            assert_eq!(plain_end(text), text.len(), "{text}");
            let long = text.repeat(20);
            assert_eq!(plain_end(&long), long.len(), "{text}");
        }
        assert_eq!(plain_end("cafe\u{301}"), 3);
    }

    #[test]
    fn what_is_not_plain_is_composed_by_the_book() {
        for (text, expected) in [
            ("cafe\u{301}", "caf\u{e9}"),
            ("a\u{301}\u{323}", "\u{1ea1}\u{301}"),
            ("\u{212b} \u{2f800}", "\u{c5} \u{4e3d}"),
            ("\u{1112}\u{1161}\u{11ab}", "\u{d55c}"),
            ("か\u{3099}", "が"),
            ("हिन्दी x\u{301}", "हिन्दी x\u{301}"),
        ] {
            assert_eq!(composed(text), expected);
        }
    }

    proptest! {
        #[test]
        fn the_short_way_is_the_long_way(text in "([a-zé字か가\u{301}\u{323}\u{3099}\u{1161}\u{212b}\u{387}]|[ -~]{1,40}|\\PC){0,40}") {
            prop_assert_eq!(composed(&text), NFC.normalize(&text));
        }
    }
}
