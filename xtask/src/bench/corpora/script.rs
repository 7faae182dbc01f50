//! Synthetic texts in several scripts, which resemble real ones in bytes, letters and words.
//!
//! As in `language.rs`, words are drawn by Zipf's law and frequent ones are short. The words have no meaning. Only
//! their lengths, the frequencies of their letters, and their separators are those of the script.

use super::dice::Dice;

/// Number of words of each vocabulary.
const WORD_COUNT: usize = 20_000;

/// Random seed of all texts.
const SEED: u64 = 0x5C21;

/// Skew of the frequencies of letters: of 33 letters the first has 11 %, like `о` in Russian or `e` in English.
const LETTER_POWER: f64 = 1.6;

/// Skew of the frequencies of characters in large sets: the first 500 of 3,500 make up half of a text's words.
const SIGN_POWER: f64 = 3.0;

/// The characters of words.
enum Spelling {
    /// Letters, most frequent first.
    Letters(&'static str),
    /// This many characters from a range.
    Signs { first: u32, last: u32, count: usize },
    /// The choices for each position of a syllable, separated by spaces; `-` is empty.
    Syllables(&'static [&'static str]),
}

/// Properties of texts in one script.
pub(in crate::bench) struct Script {
    /// The name of the script, or of a language written in it.
    pub(in crate::bench) name: &'static str,
    spelling: Spelling,
    /// Length of a word in letters, signs or syllables: that of the most frequent word, and the increase with the
    /// logarithm of the rank.
    length: (f64, f64),
    /// Separator of words.
    pub(in crate::bench) space: &'static str,
    /// Separator of parts of a sentence, including the space.
    pub(in crate::bench) comma: &'static str,
    /// End of a sentence, including the space.
    pub(in crate::bench) stop: &'static str,
}

/// The scripts; those with a target come first.
pub(in crate::bench) const SCRIPTS: [Script; 8] = [
    Script {
        name: "Cyrillic",
        spelling: Spelling::Letters("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё"),
        length: (1.0, 0.78),
        space: " ",
        comma: ", ",
        stop: ". ",
    },
    Script {
        name: "Chinese",
        spelling: Spelling::Signs { first: 0x4E00, last: 0x9FA5, count: 3_500 },
        length: (1.0, 0.12),
        space: "",
        comma: "，",
        stop: "。",
    },
    Script {
        name: "Arabic",
        spelling: Spelling::Letters("اليمنرتوبةعدسفهكقحجشطصخضذثزغظءأإىئؤآ"),
        length: (1.0, 0.66),
        space: " ",
        comma: "، ",
        stop: ". ",
    },
    Script {
        name: "Devanagari",
        spelling: Spelling::Syllables(&["क र न त स म ह प ल य व द ज ब ग भ श अ आ इ उ ए", "ा े ि ी ो - - - - - - ् ् ु ं ै ों ें"]),
        length: (1.0, 0.25),
        space: " ",
        comma: ", ",
        stop: "। ",
    },
    Script {
        name: "Thai",
        spelling: Spelling::Syllables(&[
            "- - - - เ แ โ ไ",
            "น ร ก อ ม ล ว ท ส ต ง บ ค ป ย ด ห จ พ ช",
            "- - - ั ิ ี ่ ้ ื ุ ู",
            "- - - า ง น ย ม ก บ ะ",
        ]),
        length: (1.0, 0.12),
        space: "",
        comma: " ",
        stop: " ",
    },
    Script {
        name: "Korean",
        spelling: Spelling::Signs { first: 0xAC00, last: 0xD7A3, count: 1_200 },
        length: (1.5, 0.25),
        space: " ",
        comma: ", ",
        stop: ". ",
    },
    Script {
        name: "French",
        spelling: Spelling::Letters("esaitnrulodcmpévqfbghjàxèyêzçôùâûîœë"),
        length: (1.0, 0.66),
        space: " ",
        comma: ", ",
        stop: ". ",
    },
    Script {
        name: "Vietnamese",
        spelling: Spelling::Syllables(&[
            "- n t th đ đ c ch kh ng nh l m b h v tr ph g s",
            "à á ạ ả â ấ ầ ậ ô ố ộ ơ ờ ư ươ ượ ườ iệ iề uyề ê ế ó ủ ề ạ a i o",
            "- - n ng c m nh t i",
        ]),
        length: (1.0, 0.0),
        space: " ",
        comma: ", ",
        stop: ". ",
    },
];

impl Script {
    /// Texts of about 6 kB each, with this total size.
    pub(in crate::bench) fn texts(&self, bytes: usize) -> Vec<String> {
        const TEXT_BYTES: usize = 6_000;
        let mut dice = Dice::new(SEED);
        let words = self.vocabulary(&mut dice);
        (0..bytes.div_ceil(TEXT_BYTES)).map(|_| self.text(&words, TEXT_BYTES, &mut dice)).collect()
    }

    /// All words, most frequent first.
    pub(in crate::bench) fn words(&self) -> Vec<String> {
        self.vocabulary(&mut Dice::new(SEED))
    }

    fn text(&self, words: &[String], bytes: usize, dice: &mut Dice) -> String {
        let mut text = String::with_capacity(bytes + 256);
        while text.len() < bytes {
            let word_count = 4 + dice.below(12) + dice.below(12);
            for place in 0..word_count {
                if place > 0 {
                    text += if dice.below(14) == 0 { self.comma } else { self.space };
                }
                // As in `language.rs`: Zipf's law by logarithms, and occasionally a number.
                let rank = ((words.len() as f64 + 1.0).ln() * dice.unit()).exp() as usize;
                let word = &words[rank.clamp(1, words.len()) - 1];
                match (place, dice.below(60)) {
                    (0, _) => {
                        text.extend(word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)));
                    }
                    (_, 0) => text += &dice.below(2_100).to_string(),
                    _ => text += word,
                }
            }
            text += if dice.below(5) == 0 { "\n" } else { self.stop };
        }
        text
    }

    fn vocabulary(&self, dice: &mut Dice) -> Vec<String> {
        let pieces = self.pieces(dice);
        let (first, growth) = self.length;
        let length = |rank: usize, dice: &mut Dice| {
            (first + growth * (rank as f64).ln() + 0.5 * dice.normal()).round().clamp(1.0, 16.0) as usize
        };
        (1..=WORD_COUNT)
            .map(|rank| (0..length(rank, dice)).map(|_| pieces.draw(dice)).collect::<Vec<_>>().concat())
            .collect()
    }

    fn pieces(&self, dice: &mut Dice) -> Pieces {
        let (places, power) = match self.spelling {
            Spelling::Letters(letters) => (vec![letters.chars().map(String::from).collect()], LETTER_POWER),
            Spelling::Signs { first, last, count } => {
                let mut signs: Vec<char> = (first..=last).filter_map(char::from_u32).collect();
                dice.shuffle(&mut signs);
                (vec![signs.into_iter().take(count).map(String::from).collect()], SIGN_POWER)
            }
            Spelling::Syllables(places) => {
                let place = |choices: &&str| choices.split(' ').map(|choice| choice.replace('-', "")).collect();
                (places.iter().map(place).collect(), 1.0)
            }
        };
        Pieces { places, power }
    }
}

/// The choices for one letter, sign or syllable.
struct Pieces {
    /// The choices for each position, most frequent first.
    places: Vec<Vec<String>>,
    power: f64,
}

impl Pieces {
    fn draw(&self, dice: &mut Dice) -> String {
        let choose =
            |choices: &Vec<String>| choices[(choices.len() as f64 * dice.unit().powf(self.power)) as usize].clone();
        self.places.iter().map(choose).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_natural_lengths() {
        // Approximate number of letters per word of running Russian, Arabic, Korean and French text.
        for (name, least, most) in
            [("Cyrillic", 4.8, 6.2), ("Arabic", 4.0, 5.4), ("Korean", 2.2, 3.6), ("French", 4.2, 5.4)]
        {
            let script = SCRIPTS.iter().find(|script| script.name == name).unwrap();
            let text = script.texts(200_000).concat();
            let words: Vec<&str> = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
            let mean = words.iter().map(|word| word.chars().count()).sum::<usize>() as f64 / words.len() as f64;
            assert!((least..most).contains(&mean), "{name}: {mean}");
        }
    }

    #[test]
    fn every_script_is_mostly_its_own() {
        for script in &SCRIPTS {
            let text = script.texts(50_000).concat();
            let wide = text.chars().filter(|c| !c.is_ascii()).count() as f64 / text.chars().count() as f64;
            let least = match script.name {
                "French" => 0.02,
                "Vietnamese" => 0.2,
                _ => 0.6,
            };
            assert!(wide > least, "{}: {wide}", script.name);
        }
    }
}
