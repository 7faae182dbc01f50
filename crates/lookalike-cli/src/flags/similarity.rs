//! When documents are near-duplicates: what is compared, how it is measured, and from which similarity on.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use lookalike::core::hash::Key;
use lookalike::core::measure::criterion::Criterion;
use lookalike::core::measure::similarity::Threshold;
use lookalike::core::text::fold::Fold;
use lookalike::core::text::shingle::Shingle;
use lookalike::core::text::stop_words::StopWords;
use lookalike::{MethodOptions, Scheme, SketchKey};

use crate::flags::method::MethodArguments;

#[derive(Clone, Debug, Args)]
pub(crate) struct SimilarityArguments {
    /// What to compare: word:K or char:K, runs of K words or characters; or stopword, a stop word and the two words after it,
    /// which ignores most advertising around articles (stopword:en,de for these languages only)
    #[arg(long, value_name = "KIND", default_value = "word:5")]
    shingle: String,
    /// File with your own stop words, one per line, for --shingle stopword
    #[arg(long, value_name = "FILE")]
    stopwords: Option<PathBuf>,
    /// Differences to ignore: accents (café is cafe), digits (12 March is 7 March), or accents,digits
    #[arg(long, value_name = "WHAT")]
    fold: Option<String>,
    /// What to measure: the share that both have in common, or the share of the smaller document that lies within the larger
    #[arg(long, value_enum, default_value_t = MeasureArgument::Jaccard)]
    measure: MeasureArgument,
    /// Minimum similarity of near-duplicates: above 0, at most 1
    #[arg(long, value_name = "T", default_value_t = 0.8, allow_negative_numbers = true)]
    threshold: f64,
    /// Secret key of the sketches: 1 to 16 hexadecimal digits, or random for a new key in every run. Without it, sketches are
    /// the same in every run, and near-duplicates can be written on purpose so that they are not found
    #[arg(long, value_name = "HEX|random")]
    key: Option<String>,
    #[command(flatten)]
    method: MethodArguments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MeasureArgument {
    Jaccard,
    Containment,
}

impl SimilarityArguments {
    pub(crate) fn options(&self) -> Result<Scheme> {
        Ok(Scheme {
            shingle: self.shingle()?,
            fold: self.fold.as_deref().map_or(Ok(Fold::NONE), str::parse)?,
            criterion: self.criterion()?,
            method: self.method_of(&self.method)?,
            key: self.key()?,
        })
    }

    /// The names of files that were typed.
    pub(crate) fn names(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        self.stopwords.iter_mut()
    }

    /// The same with another threshold.
    pub(crate) fn with_threshold(&self, threshold: f64) -> Self {
        Self { threshold, ..self.clone() }
    }

    /// The same with another shingle.
    pub(crate) fn with_shingle(&self, shingle: &str) -> Self {
        Self { shingle: shingle.to_owned(), ..self.clone() }
    }

    /// The threshold and the shingle as they were typed.
    pub(crate) fn typed(&self) -> (f64, &str) {
        (self.threshold, &self.shingle)
    }

    /// A method for what is alike here.
    pub(crate) fn method_of(&self, method: &MethodArguments) -> Result<MethodOptions> {
        method.options(Threshold::new(self.threshold)?, self.criterion()?)
    }

    fn key(&self) -> Result<SketchKey> {
        match self.key.as_deref() {
            None => Ok(SketchKey::Fixed),
            Some("random") => Ok(SketchKey::Random),
            Some(key) => match u64::from_str_radix(key, 16) {
                Ok(number) if !key.starts_with('+') => Ok(SketchKey::Given(Key::new(number))),
                _ => bail!("--key takes 1 to 16 hexadecimal digits, for example 5eed0fa110c0ffee, or random"),
            },
        }
    }

    fn criterion(&self) -> Result<Criterion> {
        let threshold = Threshold::new(self.threshold)?;
        Ok(match self.measure {
            MeasureArgument::Jaccard => Criterion::Jaccard(threshold),
            MeasureArgument::Containment => Criterion::Containment(threshold),
        })
    }

    fn shingle(&self) -> Result<Shingle> {
        let shingle: Shingle = self.shingle.parse()?;
        let Some(file) = &self.stopwords else { return Ok(shingle) };
        if !matches!(shingle, Shingle::StopWord(_)) {
            bail!("--stopwords is for --shingle stopword: give both");
        }
        let words = std::fs::read_to_string(file);
        let words = words.with_context(|| format!("cannot read the stop words of {}", file.display()))?;
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            bail!("{} has no words: put one on each line", file.display());
        }
        Ok(Shingle::StopWord(StopWords::new(file.display().to_string(), words).into()))
    }
}
