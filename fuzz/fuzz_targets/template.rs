#![no_main]
use libfuzzer_sys::fuzz_target;
use lookalike_core::prints::PreparedPrint;
use lookalike_core::prints::template::parse_template;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(prints) = parse_template(bytes) {
        // Six bytes a minutia at least: what is made is never larger than what was given.
        assert!(6 * prints.iter().map(|print| print.minutiae.len()).sum::<usize>() <= bytes.len());
        for print in prints.iter().take(2) {
            let prepared = PreparedPrint::new(print);
            assert!((0.0..=1.0).contains(&prepared.compare(&prepared).score));
        }
    }
});
