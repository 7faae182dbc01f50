//! Normalizes addresses: words that are abbreviated in many ways get one form.

use super::words::words;

/// The short form first, then what it stands for.
const SHORT: [&[&str]; 52] = [
    &["st", "street", "str", "strt", "saint"],
    &["ave", "avenue", "av", "aven", "avenu"],
    &["rd", "road"],
    &["blvd", "boulevard", "blv", "boul", "bvd"],
    &["dr", "drive", "drv"],
    &["ln", "lane"],
    &["ct", "court", "crt"],
    &["pl", "place", "plc"],
    &["cres", "crescent", "cr", "crs", "cresc"],
    &["cct", "circuit", "circ"],
    &["cir", "circle"],
    &["cl", "close"],
    &["sq", "square"],
    &["ter", "terrace", "terr", "tce"],
    &["pde", "parade"],
    &["pkwy", "parkway", "pky"],
    &["hwy", "highway"],
    &["expy", "expressway", "expwy"],
    &["fwy", "freeway"],
    &["gr", "grove", "gv"],
    &["gdns", "gardens", "gdn", "garden"],
    &["wy", "way"],
    &["aly", "alley"],
    &["plz", "plaza", "plza"],
    &["ctr", "center", "center", "cntr"],
    &["trl", "trail"],
    &["tpke", "turnpike"],
    &["bldg", "building"],
    &["fl", "floor", "flr"],
    &["apt", "apartment", "apmnt", "appt", "flat"],
    &["ste", "suite"],
    &["rm", "room"],
    &["mt", "mount", "mountain", "mtn"],
    &["ft", "fort"],
    &["hts", "heights"],
    &["vlg", "village", "vlge"],
    &["n", "north"],
    &["s", "south"],
    &["e", "east"],
    &["w", "west"],
    &["ne", "northeast"],
    &["nw", "northwest"],
    &["se", "southeast"],
    &["sw", "southwest"],
    &["1st", "first"],
    &["2nd", "second"],
    &["3rd", "third"],
    &["4th", "fourth"],
    &["5th", "fifth"],
    &["6th", "sixth"],
    &["7th", "seventh"],
    &["8th", "eighth"],
];

pub(super) fn normalize(value: &str) -> String {
    let mut normal = String::with_capacity(value.len());
    for word in words(value) {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.push_str(shorten(&word));
    }
    normal
}

fn shorten(word: &str) -> &str {
    let short = SHORT.iter().find(|forms| forms.contains(&word)).map_or(word, |forms| forms[0]);
    let digits = short.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    // "22nd" is the same street as "22".
    if is_number && ["st", "nd", "rd", "th"].contains(&&short[digits.len()..]) { digits } else { short }
}

/// True if the word is typical of addresses: a street, a court, an apartment.
pub(in crate::link) fn is_address_word(word: &str) -> bool {
    /// The forms before this one say what a place is; those after it say where it is.
    const PLACES: usize = 32;
    SHORT[..PLACES].iter().any(|forms| forms.contains(&word)) || ENDINGS.iter().any(|ending| word.ends_with(ending))
}

/// Endings of street names that are written as one word.
const ENDINGS: [&str; 8] = ["strasse", "straat", "gatan", "gata", "vagen", "vej", "gasse", "utca"];
