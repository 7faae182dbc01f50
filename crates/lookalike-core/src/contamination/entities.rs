//! HTML's entities: numbers, and the names of the characters of Latin-1 and of common punctuation.

/// The longest entity that is looked at, such as `&thetasym;` or `&#x1F600;`.
const LONGEST: usize = 10;

/// Names of the characters from U+00A0 on.
const LATIN: [&str; 96] = [
    "nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy", "ordf", "laquo", "not", "shy",
    "reg", "macr", "deg", "plusmn", "sup2", "sup3", "acute", "micro", "para", "middot", "cedil", "sup1", "ordm",
    "raquo", "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig",
    "Ccedil", "Egrave", "Eacute", "Ecirc", "Euml", "Igrave", "Iacute", "Icirc", "Iuml", "ETH", "Ntilde", "Ograve",
    "Oacute", "Ocirc", "Otilde", "Ouml", "times", "Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute", "THORN",
    "szlig", "agrave", "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil", "egrave", "eacute", "ecirc",
    "euml", "igrave", "iacute", "icirc", "iuml", "eth", "ntilde", "ograve", "oacute", "ocirc", "otilde", "ouml",
    "divide", "oslash", "ugrave", "uacute", "ucirc", "uuml", "yacute", "thorn", "yuml",
];

const OTHERS: [(&str, char); 35] = [
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("OElig", 'Œ'),
    ("oelig", 'œ'),
    ("Scaron", 'Š'),
    ("scaron", 'š'),
    ("Yuml", 'Ÿ'),
    ("ensp", '\u{2002}'),
    ("emsp", '\u{2003}'),
    ("thinsp", '\u{2009}'),
    ("zwnj", '\u{200c}'),
    ("zwj", '\u{200d}'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("sbquo", '‚'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("bdquo", '„'),
    ("lsaquo", '‹'),
    ("rsaquo", '›'),
    ("bull", '•'),
    ("hellip", '…'),
    ("prime", '′'),
    ("Prime", '″'),
    ("euro", '€'),
    ("trade", '™'),
    ("minus", '−'),
    ("ne", '≠'),
    ("le", '≤'),
    ("ge", '≥'),
    ("infin", '∞'),
];

/// The entity at the start of a text: its length and character. `&amp;#39;`, which was escaped twice, is one.
pub(super) fn entity(text: &str) -> Option<(usize, char)> {
    const AMP: &str = "amp;";
    let rest = text.strip_prefix('&')?;
    let escapes = rest.as_bytes().chunks(AMP.len()).take_while(|bytes| *bytes == AMP.as_bytes()).count();
    let length = 1 + escapes * AMP.len();
    match named(&text[length..]) {
        Some((more, character)) => Some((length + more, character)),
        None => (escapes > 0).then_some((length, '&')),
    }
}

/// The character of an entity whose name begins here, and the length up to its semicolon.
fn named(text: &str) -> Option<(usize, char)> {
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = &text[..end];
    let character = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
        None => match (0xA0_u8..=0xFF).zip(LATIN).find(|(_, latin)| *latin == name) {
            Some((code, _)) => char::from(code),
            None => OTHERS.iter().find(|(other, _)| *other == name)?.1,
        },
    };
    Some((end + 1, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_known_however_often_they_were_escaped() {
        for (text, length, character) in [
            ("&nbsp;x", 6, '\u{a0}'),
            ("&yuml;", 6, 'ÿ'),
            ("&szlig;", 7, 'ß'),
            ("&times;", 7, '×'),
            ("&mdash;", 7, '—'),
            ("&#39;", 5, '\''),
            ("&#x1F600;", 9, '😀'),
            ("&amp;#39;t", 9, '\''),
            ("&amp;amp;rsquo;", 15, '’'),
            ("&amp; so on;", 5, '&'),
            ("&amp;amp;nothing;", 9, '&'),
        ] {
            assert_eq!(entity(text), Some((length, character)), "{text}");
        }
        for text in ["& so on;", "&nothing;", "&#x;", "&#xD800;", "&toolongtobeone;", "&", "&é;"] {
            assert_eq!(entity(text), None, "{text}");
        }
    }
}
