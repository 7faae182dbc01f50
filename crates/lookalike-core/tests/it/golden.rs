//! The same text gives the same sketch on every machine, permanently.
//!
//! The vectors were computed by `fixtures/golden/make.py` from the definitions, without code of this project.

use lookalike_core::bucket::banding::Banding;
use lookalike_core::bucket::hamming::Tables;
use lookalike_core::hash::{Key, token_hash};
use lookalike_core::measure::distinct::Distinct;
use lookalike_core::method::{Method, SimHash, Weights, Width};
use lookalike_core::sketch::{ClassicSketcher, FastSketcher, Sketches, SlotSketcher};
use lookalike_core::text::content::ContentHasher;
use lookalike_core::text::fold::Fold;
use lookalike_core::text::shingle::{Shingle, Shingler};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_str().unwrap().parse().unwrap()).collect()
}

#[test]
fn features_sketches_and_band_keys_are_what_they_have_always_been() {
    let vectors: Vec<Value> = serde_json::from_str(include_str!("../../../../fixtures/golden/vectors.json")).unwrap();
    assert!(vectors.len() >= 12);
    for vector in vectors {
        let text = vector["text"].as_str().unwrap();
        let shingle: Shingle = vector["shingle"].as_str().unwrap().parse().unwrap();
        let fold: Fold = vector["fold"].as_str().map_or(Fold::NONE, |fold| fold.parse().unwrap());
        let [bands, rows] = ["bands", "rows"].map(|name| vector[name].as_u64().unwrap() as usize);
        let banding = Banding::new(bands, rows).unwrap();

        let mut shingler = Shingler::new(&shingle, fold);
        let tokens: Vec<u64> = shingler.places(text).tokens.iter().map(|token| token.hash).collect();
        assert_eq!(tokens, numbers(&vector["tokens"]), "{text}");
        let features = shingler.features(text);
        assert_eq!(features.text_hash().to_string(), vector["text_hash"], "{text}");
        assert_eq!(ContentHasher::default().hash(text).to_string(), vector["content_hash"], "{text}");
        assert_eq!(features.all, numbers(&vector["features"]), "{text}");
        let mut sketcher = FastSketcher::new(banding.slot_count());
        let sketch = sketcher.sketch(features.all).unwrap_or_default();
        assert_eq!(sketch, numbers(&vector["sketch"]), "{text}");
        if features.all.is_empty() {
            continue;
        }
        let random = Banding::random(bands, rows, banding.slot_count()).unwrap();
        for (banding, name) in [(banding, "band_keys"), (random, "random_keys")] {
            let mut keys = Vec::new();
            banding.cutter().keys(sketch, |key| keys.push(key));
            assert_eq!(keys, numbers(&vector[name]), "{text}");
        }
        let mut classic = ClassicSketcher::new(banding.slot_count());
        assert_eq!(classic.sketch(features.all).unwrap(), numbers(&vector["classic"]), "{text}");
        for (weights, name) in [(Weights::Count, "simhash_count"), (Weights::None, "simhash_none")] {
            let simhash = SimHash::new(Width::Bits128, weights, 3, Tables::Blocks, false).unwrap();
            let mut sketches = Sketches::new(simhash.layout());
            simhash.sketcher().sketch(features.all, &Distinct::new(features.all), &mut sketches);
            let words = numbers(&vector[name]);
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            assert_eq!(sketches.all_bytes(), bytes, "{text}");
        }
    }
}

#[test]
fn hashes_with_a_key_are_what_they_have_always_been() {
    let vectors: Vec<Value> = serde_json::from_str(include_str!("../../../../fixtures/golden/keyed.json")).unwrap();
    assert!(vectors.len() >= 20);
    for vector in vectors {
        let text = vector["text"].as_str().unwrap();
        let shingle: Shingle = vector["shingle"].as_str().unwrap().parse().unwrap();
        let key = Key::new(u128::from_str_radix(vector["key"].as_str().unwrap(), 16).unwrap());
        let mut shingler = Shingler::keyed(&shingle, Fold::NONE, key);
        let tokens: Vec<u64> = shingler.places(text).tokens.iter().map(|token| token.hash).collect();
        assert_eq!(tokens, numbers(&vector["tokens"]), "{text} {shingle}");
        let features = shingler.features(text);
        assert_eq!(features.text_hash().to_string(), vector["text_hash"], "{text} {shingle}");
        assert_eq!(features.all, numbers(&vector["features"]), "{text} {shingle}");
        assert_eq!(ContentHasher::keyed(key).hash(text).to_string(), vector["content_hash"], "{text} {shingle}");
    }
}

#[test]
fn tokens_of_source_code_are_what_they_have_always_been() {
    let vectors: Vec<Value> = serde_json::from_str(include_str!("../../../../fixtures/golden/code.json")).unwrap();
    assert!(vectors.len() >= 200);
    for vector in vectors {
        let (text, language) = (vector["text"].as_str().unwrap(), vector["language"].as_str().unwrap());
        let shingle = if language == "any" { "code:1".to_owned() } else { format!("code:{language}:1") };
        let places = Shingler::new(&shingle.parse().unwrap(), Fold::NONE).places(text);
        let tokens: Vec<u64> = places.tokens.iter().map(|token| token.hash).collect();
        let expected = vector["tokens"].as_array().unwrap().iter().map(|token| token.as_str().unwrap());
        assert_eq!(
            tokens,
            expected.map(|token| token_hash(token.as_bytes())).collect::<Vec<u64>>(),
            "{text:?} {language}"
        );
    }
}
