//! Bodies and key files that were damaged at random: nothing panics. The fuzzer continues from here.

use std::io::Write;

use lookalike_server::hostile;

/// The name of a target, the function that reads its bytes, and valid inputs.
type Target = (&'static str, fn(&[u8]), Vec<Vec<u8>>);

/// Valid inputs of each target.
fn good() -> [Target; 3] {
    let bodies = [
        r#"{"id":"a","text":"one two three","fields":{"year":1999}}"#,
        r#"[{"text":"one"},{"text":"two"}]"#,
        r#"{"text":"one two three","threshold":0.9,"limit":5,"max_candidates":100,"passages":true,"fields":false}"#,
        r#"{"index":"news","left":{"id":"a"},"right":{"text":"one"}}"#,
        r#"{"ids":["a","b"]}"#,
        r#"{"threshold":0.8,"recall":0.99,"shingle":"word:5","fold":"accents,digits","measure":"containment","store":"features"}"#,
        r#"{"purge":true}"#,
        r#"{"name":"monday"}"#,
    ];
    let key = format!("{{\"name\":\"a\",\"scope\":\"read\",\"sha256\":\"{}\"}}\n", "0a".repeat(32));
    let text = "one two three four five ".repeat(100);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    let packed = vec![gzip.finish().unwrap(), zstd::encode_all(text.as_bytes(), 3).unwrap()];
    [
        ("body", hostile::body, bodies.iter().map(|body| body.as_bytes().to_vec()).collect()),
        ("packed", hostile::packed, packed),
        ("keys", hostile::keys, vec![key.repeat(2).into_bytes()]),
    ]
}

/// A stream of numbers (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(bits ^ (bits >> 31)) * end as u128) >> 64) as usize
    }
}

fn damaged(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len().max(1)).min(bytes.len());
        match dice.below(4) {
            0 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
            1 => bytes.truncate(at),
            2 => bytes.insert(at, b"{}[]\",:0e-\\\0\xff"[dice.below(13)]),
            _ => bytes.extend_from_within(at..),
        }
    }
    bytes
}

#[test]
fn nothing_that_is_damaged_at_random_makes_the_server_panic() {
    let mut dice = Dice(7);
    for (_, check, all) in good() {
        for bytes in &all {
            check(bytes);
            (0..2000).for_each(|_| check(&damaged(bytes, &mut dice)));
        }
    }
}

#[test]
#[ignore = "not a test: writes the seeds of the fuzzer to FUZZ_CORPUS"]
fn good_files_are_seeds() {
    let corpus = std::env::var_os("FUZZ_CORPUS").expect("FUZZ_CORPUS names a folder");
    for (name, _, all) in good() {
        let folder = std::path::Path::new(&corpus).join(name);
        std::fs::create_dir_all(&folder).unwrap();
        for (at, bytes) in all.iter().enumerate() {
            std::fs::write(folder.join(at.to_string()), bytes).unwrap();
        }
    }
}
