#![no_main]
use libfuzzer_sys::fuzz_target;
use lookalike_core::text::shingle::Shingler;
use lookalike_core::text::fold::Fold;

fuzz_target!(|text: &str| {
    let folded = Fold { accents: true, digits: true };
    let kinds = [("word:5", Fold::NONE), ("word:1", folded), ("char:5", Fold::NONE), ("char:3", folded)];
    for (shingle, fold) in kinds.into_iter().chain([("stopword", Fold::NONE), ("stopword:en", folded)]) {
        let mut shingler = Shingler::new(&shingle.parse().unwrap(), fold);
        let features = shingler.features(text);
        let (count, hash) = (features.token_count(), features.text_hash());
        let all = features.all.to_vec();
        // The places of the tokens lie in the text, and give the same features by another way.
        let places = shingler.places(text);
        assert_eq!(places.firsts.len(), all.len());
        assert_eq!((places.tokens.len(), places.features), (count, all));
        assert!(places.tokens.iter().all(|token| text.get(token.start..token.end).is_some()));
        assert_eq!(shingler.features(text).text_hash(), hash);
    }
});
