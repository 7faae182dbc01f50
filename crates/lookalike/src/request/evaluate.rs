//! The request of `evaluate`.

use std::path::PathBuf;

use derive_setters::Setters;
use lookalike_core::remedy::{JobOption, Remedy};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ignoring::{IgnoreRequest, Ignoring};
use super::named_file;
use super::read::ReadRequest;
use super::resources::ResourceRequest;
use super::scheme::SchemeRequest;
use crate::options::{EvaluateOptions, NamedScheme};
use crate::refused::Refused;

/// Unchecked options of [`evaluate`](crate::evaluate()). Missing ones have the defaults of the command.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Setters)]
#[serde(default)]
#[setters(strip_option, into)]
#[non_exhaustive]
pub struct EvaluateRequest {
    /// Options for reading.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub read: ReadRequest,
    /// Settings shared by all schemes.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub scheme: SchemeRequest,
    /// Text to ignore.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub ignoring: IgnoreRequest,
    /// Limits.
    #[serde(flatten, skip_deserializing)]
    #[setters(skip)]
    pub resources: ResourceRequest,
    /// Methods to compare, with parameters after colons, such as `simhash:bits=6:verify`.
    pub methods: Option<Vec<String>>,
    /// Thresholds to compare.
    pub thresholds: Option<Vec<f64>>,
    /// Shingles to compare.
    pub shingles: Option<Vec<String>>,
    /// File of the true pairs, or of labels of an audit. Default: they are found by an exact join.
    pub labels: Option<PathBuf>,
    /// Count pairs by score and by agreement as well.
    pub histograms: Option<bool>,
    /// The file of the whole result, as JSON. Default: it is only returned.
    pub output: Option<PathBuf>,
}

/// The methods that are compared unless others are named.
const METHODS: [&str; 5] = ["minhash", "minhash:sketch=classic", "supershingle", "simhash", "simhash:bits=6:verify"];

new_from_inputs!(EvaluateRequest, read.inputs);
from_options!(EvaluateRequest, read, scheme, ignoring, resources);

impl EvaluateRequest {
    /// Checks all options, and that they go together.
    ///
    /// # Errors
    ///
    /// Fails if a value is impossible, has no effect, or contradicts another.
    pub fn check(self) -> Result<EvaluateOptions, Refused> {
        let resources = self.resources.check()?;
        let ignoring = self.ignoring.check(self.scheme.purpose)?;
        let schemes = self.schemes(&ignoring)?;
        named_file(JobOption::Output, self.output.as_deref())
            .map_err(|refused| refused.with_remedies([Remedy::give_word(JobOption::Summary, "json")]))?;
        let read = self.read.with_purpose(self.scheme.purpose);
        // Boilerplate left out for a table has the same source in all schemes.
        let (read, learning) = ignoring.read(read, &schemes[0].scheme, &resources)?;
        let histograms = self.histograms == Some(true);
        Ok(EvaluateOptions { read, schemes, learning, labels: self.labels, histograms, output: self.output, resources })
    }

    /// Every method with every threshold and shingle.
    fn schemes(&self, ignoring: &Ignoring) -> Result<Vec<NamedScheme>, Refused> {
        let common = &self.scheme;
        for (several, one, is_given) in [
            (JobOption::Methods, JobOption::Method, self.methods.is_some() && common.method.is_some()),
            (JobOption::Methods, JobOption::Exact, self.methods.is_some() && common.exact == Some(true)),
            (JobOption::Thresholds, JobOption::Threshold, self.thresholds.is_some() && common.threshold.is_some()),
            (JobOption::Shingles, JobOption::Shingle, self.shingles.is_some() && common.shingle.is_some()),
        ] {
            if is_given {
                return Err(Refused::not_with(several, one));
            }
        }
        let is_one = self.methods.is_none() && (common.method.is_some() || common.exact == Some(true));
        if let Some(option) = common.parameter_of_a_method().filter(|_| !is_one) {
            // Of several methods, each has its own parameters, which are written with it.
            return Err(Refused::needs(option, JobOption::Method));
        }
        let methods = match (&self.methods, common.method, common.exact) {
            (Some(methods), ..) => methods.clone(),
            (None, None, None | Some(false)) => METHODS.map(str::to_owned).to_vec(),
            // The one method of the scheme, with its own parameters.
            (None, ..) => vec![String::new()],
        };
        if methods.is_empty() {
            return Err(Refused::out_of_range(JobOption::Methods, "an empty list", "at least one method"));
        }
        let thresholds =
            self.thresholds.clone().map_or(vec![common.threshold], |all| all.into_iter().map(Some).collect());
        let shingles =
            self.shingles.clone().map_or(vec![common.shingle.clone()], |all| all.into_iter().map(Some).collect());
        let mut schemes = Vec::new();
        for shingle in &shingles {
            for threshold in &thresholds {
                for written in &methods {
                    let common = SchemeRequest { shingle: shingle.clone(), threshold: *threshold, ..common.clone() };
                    let (name, request) = if written.is_empty() {
                        (common.method.map_or("exact".to_owned(), |method| method.to_string()), common)
                    } else {
                        (written.clone(), method(written, common)?)
                    };
                    let scheme = request.check().map_err(|refused| self.of_several(of_method(written, refused)))?;
                    schemes.push(NamedScheme { name, scheme: ignoring.leave_out(scheme)? });
                }
            }
        }
        Ok(schemes)
    }
}

impl EvaluateRequest {
    /// A refusal of one of several thresholds or shingles, by the option that has them all.
    fn of_several(&self, refused: Refused) -> Refused {
        match refused.option() {
            Some(JobOption::Threshold) if self.thresholds.is_some() => refused.renamed(JobOption::Thresholds),
            Some(JobOption::Shingle) if self.shingles.is_some() => refused.renamed(JobOption::Shingles),
            _ => refused,
        }
    }
}

/// A method as it is written between commas, with its parameters as options of a scheme.
fn method(written: &str, common: SchemeRequest) -> Result<SchemeRequest, Refused> {
    let mut parts = written.split(':');
    let mut options = Map::new();
    options.insert("method".to_owned(), parts.next().unwrap_or_default().into());
    for part in parts {
        let (name, value) = part.split_once('=').map_or((part, Value::Bool(true)), |(name, value)| (name, read(value)));
        options.insert(name.replace('-', "_"), value);
    }
    let own = SchemeRequest::from_options(options).map_err(|refused| not_a_method(written, &refused))?;
    Ok(SchemeRequest {
        purpose: common.purpose,
        threshold: common.threshold,
        shingle: common.shingle,
        tokens: common.tokens,
        stopwords: common.stopwords,
        fold: common.fold,
        count_repeats: common.count_repeats,
        measure: common.measure,
        key: common.key,
        ..own
    })
}

/// A refusal of a parameter, as one of the method that was written with it.
fn of_method(written: &str, refused: Refused) -> Refused {
    let is_common = refused.option().is_some_and(|option| {
        use JobOption::{CountRepeats, Fold, Key, Measure, Purpose, Shingle, Stopwords, Threshold, Tokens};
        [CountRepeats, Fold, Key, Measure, Purpose, Shingle, Stopwords, Threshold, Tokens].contains(&option)
    });
    if written.is_empty() || is_common { refused } else { not_a_method(written, &refused) }
}

fn not_a_method(written: &str, refused: &Refused) -> Refused {
    Refused::unknown_word(
        JobOption::Methods,
        written,
        format!("a list of methods such as simhash:bits=6:verify ({refused})"),
    )
}

/// A parameter as it is written: a number where it looks like one.
fn read(value: &str) -> Value {
    serde_json::from_str::<serde_json::Number>(value).map_or_else(|_| value.into(), Value::Number)
}
