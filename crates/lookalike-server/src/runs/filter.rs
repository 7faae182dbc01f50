//! Filters and orders of removals. They apply to all rows, not to those of one page.

use std::cmp::Ordering;

use lookalike::Removal;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::table::{BANDS, Which};
use crate::problem::{Kind, Problem};

/// Filter for rows as written in an address. An empty value filters nothing, as in a form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct AskedRows {
    /// The order of the rows. Default: that of the file.
    #[param(value_type = Option<Order>)]
    pub(crate) order: Option<String>,
    /// Only removals in a band of similarity, named by its lower end in percent, such as 80; or `copies`.
    pub(crate) band: Option<String>,
    /// Only removals of a cluster.
    #[param(value_type = Option<u32>)]
    pub(crate) cluster: Option<String>,
    /// Only removals of a source.
    pub(crate) source: Option<String>,
    /// Only removals whose kept document is from a source.
    pub(crate) kept_source: Option<String>,
    /// Only removals with at least this similarity.
    #[param(value_type = Option<f64>)]
    pub(crate) similarity_from: Option<String>,
    /// Only removals with at most this similarity.
    #[param(value_type = Option<f64>)]
    pub(crate) similarity_to: Option<String>,
    /// Only exact copies, removals with the same words, or near-duplicates.
    #[param(value_type = Option<RemovalKind>)]
    pub(crate) kind: Option<String>,
    /// Only removals with this text in an id, a source, a file, an address or the first words.
    pub(crate) text: Option<String>,
}

/// The order of removals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// As the file has them.
    #[default]
    Input,
    /// The least similar first.
    LeastSimilar,
    /// The most similar first.
    MostSimilar,
    /// By the id of the removed document.
    Removed,
    /// By the id of the kept document.
    Kept,
    /// By the source of the removed document, and that of the kept one.
    Source,
    /// Those of the largest clusters first.
    LargestCluster,
}

/// Content that a removed document has in common with the kept one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RemovalKind {
    /// Every character.
    Copy,
    /// All words, and not every character.
    SameWords,
    /// Most of it.
    NearDuplicate,
}

/// A checked filter and order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Filter {
    pub(crate) order: Order,
    group: Option<Which>,
    source: Option<String>,
    kept_source: Option<String>,
    from: Option<f64>,
    to: Option<f64>,
    kind: Option<RemovalKind>,
    text: Option<String>,
}

/// The sort key of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SortKey {
    Number(f64),
    Words(Box<str>, Box<str>),
}

impl SortKey {
    /// Approximate size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let words = match self {
            Self::Number(_) => 0,
            Self::Words(first, second) => first.len() + second.len(),
        };
        48 + words as u64
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(left), Self::Number(right)) => left.total_cmp(right),
            (Self::Words(left, then_left), Self::Words(right, then_right)) => {
                left.cmp(right).then_with(|| then_left.cmp(then_right))
            }
            (Self::Number(_), Self::Words(..)) => Ordering::Less,
            (Self::Words(..), Self::Number(_)) => Ordering::Greater,
        }
    }
}

impl AskedRows {
    /// All given parameters, by name.
    pub(crate) fn given(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("order", &self.order),
            ("band", &self.band),
            ("cluster", &self.cluster),
            ("source", &self.source),
            ("kept_source", &self.kept_source),
            ("similarity_from", &self.similarity_from),
            ("similarity_to", &self.similarity_to),
            ("kind", &self.kind),
            ("text", &self.text),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, given(value.as_ref())?))).collect()
    }

    /// Checks the parameters.
    ///
    /// # Errors
    ///
    /// If a value is invalid.
    pub(crate) fn check(&self) -> Result<Filter, Problem> {
        let group = match (given(self.band.as_ref()), given(self.cluster.as_ref())) {
            (Some(band), None) => Some(band_of(band)?),
            (None, Some(cluster)) => {
                let wrong = |_| Problem::new(Kind::Malformed, "cluster: give the number of a cluster");
                Some(Which::Cluster(cluster.parse().map_err(wrong)?))
            }
            (None, None) => None,
            (Some(_), Some(_)) => return Err(Problem::new(Kind::Malformed, "give a band or a cluster, not both")),
        };
        let words = |value: &Option<String>| given(value.as_ref()).map(str::to_owned);
        Ok(Filter {
            order: word("order", self.order.as_ref())?.unwrap_or_default(),
            group,
            source: words(&self.source),
            kept_source: words(&self.kept_source),
            from: similarity("similarity_from", self.similarity_from.as_ref())?,
            to: similarity("similarity_to", self.similarity_to.as_ref())?,
            kind: word("kind", self.kind.as_ref())?,
            text: given(self.text.as_ref()).map(str::to_lowercase),
        })
    }
}

fn given(value: Option<&String>) -> Option<&str> {
    value.map(String::as_str).filter(|value| !value.trim().is_empty())
}

fn word<T: for<'a> Deserialize<'a>>(name: &str, value: Option<&String>) -> Result<Option<T>, Problem> {
    let read = |word: &str| serde_json::from_value(serde_json::Value::from(word));
    given(value).map(read).transpose().map_err(|error| Problem::new(Kind::Malformed, format!("{name}: {error}")))
}

fn similarity(name: &str, value: Option<&String>) -> Result<Option<f64>, Problem> {
    let wrong = || Problem::new(Kind::Malformed, format!("{name}: give a number between 0 and 1"));
    let read = |text: &str| text.trim().parse().ok().filter(|value| (0.0..=1.0).contains(value)).ok_or_else(wrong);
    given(value).map(read).transpose()
}

/// Parses a band: its lower end in percent, or `copies`.
pub(crate) fn band_of(band: &str) -> Result<Which, Problem> {
    let wrong = || Problem::new(Kind::Malformed, "band: give 0, 5, 10 and so on up to 95, or 'copies'");
    if band == "copies" {
        return Ok(Which::Copies);
    }
    let percent: u8 = band.parse().map_err(|_| wrong())?;
    let (band, rest) = (percent / 5, percent % 5);
    if rest == 0 && band < BANDS { Ok(Which::Band(band)) } else { Err(wrong()) }
}

impl Filter {
    /// The order of the table that has exactly these rows, if there is one.
    pub(crate) fn as_which(&self) -> Option<Which> {
        let is_plain = Self { order: self.order, group: self.group, ..Self::default() } == *self;
        match (self.group, self.order) {
            _ if !is_plain => None,
            (None, Order::Input) => Some(Which::InPlace),
            (None, Order::LeastSimilar) => Some(Which::LeastSimilar),
            // Rows of a band are always sorted least similar first, and exact copies are all equally similar.
            (Some(Which::Band(_) | Which::Copies), Order::Input | Order::LeastSimilar)
            | (Some(Which::Cluster(_)), Order::Input) => self.group,
            _ => None,
        }
    }

    /// The requested group of rows: a band, exact copies or a cluster.
    pub(crate) fn group(&self) -> Option<Which> {
        self.group
    }

    /// True if a row matches. `starts` has the first words of both documents, if known.
    pub(crate) fn takes(&self, removal: &Removal, starts: [&str; 2]) -> bool {
        let is_in_group = match self.group {
            Some(Which::Cluster(cluster)) => removal.cluster == cluster,
            Some(Which::Copies) => removal.exact_copy,
            Some(Which::Band(band)) => {
                let bands = f64::from(BANDS);
                let own = (removal.similarity.clamp(0.0, 1.0) * bands).min(bands - 1.0) as u8;
                !removal.exact_copy && own == band
            }
            Some(Which::InPlace | Which::LeastSimilar) | None => true,
        };
        let kind = match removal {
            Removal { exact_copy: true, .. } => RemovalKind::Copy,
            Removal { same_words: true, .. } => RemovalKind::SameWords,
            _ => RemovalKind::NearDuplicate,
        };
        is_in_group
            && self.source.as_ref().is_none_or(|source| removal.removed_source == *source)
            && self.kept_source.as_ref().is_none_or(|source| removal.kept_source == *source)
            && self.from.is_none_or(|from| removal.similarity >= from)
            && self.to.is_none_or(|to| removal.similarity <= to)
            && self.kind.is_none_or(|wanted| kind == wanted)
            && self.text.as_ref().is_none_or(|text| has(removal, starts, text))
    }

    /// The sort key of a row; none for the order of the file.
    pub(crate) fn key(&self, removal: &Removal) -> Option<SortKey> {
        let words = |first: &str, second: &str| SortKey::Words(first.into(), second.into());
        Some(match self.order {
            Order::Input => return None,
            // Exact copies rank above documents with the same words.
            Order::LeastSimilar => SortKey::Number(removal.similarity + f64::from(u8::from(removal.exact_copy))),
            Order::MostSimilar => SortKey::Number(-removal.similarity - f64::from(u8::from(removal.exact_copy))),
            Order::Removed => words(&removal.removed_id, ""),
            Order::Kept => words(&removal.kept_id, ""),
            Order::Source => words(&removal.removed_source, &removal.kept_source),
            Order::LargestCluster => SortKey::Number(-f64::from(removal.cluster_size)),
        })
    }
}

/// True if a row contains a lower-case text in any visible part.
fn has(removal: &Removal, starts: [&str; 2], text: &str) -> bool {
    let named = [
        Some(&*removal.removed_id),
        Some(&*removal.kept_id),
        Some(&*removal.removed_source),
        Some(&*removal.kept_source),
        Some(&*removal.removed_file),
        Some(&*removal.kept_file),
        removal.removed_uri.as_deref(),
        removal.kept_uri.as_deref(),
        Some(starts[0]),
        Some(starts[1]),
    ];
    named.into_iter().flatten().any(|named| named.to_lowercase().contains(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: &str, value: &str) -> AskedRows {
        let value = Some(value.to_owned());
        match name {
            "order" => AskedRows { order: value, ..AskedRows::default() },
            "band" => AskedRows { band: value, ..AskedRows::default() },
            "kind" => AskedRows { kind: value, ..AskedRows::default() },
            "similarity_from" => AskedRows { similarity_from: value, ..AskedRows::default() },
            _ => AskedRows { text: value, ..AskedRows::default() },
        }
    }

    #[test]
    fn a_band_is_named_by_its_lower_end() {
        assert_eq!(band_of("80").unwrap(), Which::Band(16));
        assert_eq!(band_of("copies").unwrap(), Which::Copies);
        for wrong in ["", "81", "100", "-5", "copy"] {
            assert_eq!(band_of(wrong).unwrap_err().kind(), Kind::Malformed, "{wrong}");
        }
    }

    #[test]
    fn what_a_form_leaves_empty_is_not_asked_for_and_what_is_impossible_is_refused() {
        let empty = AskedRows { source: Some(String::new()), text: Some(" ".to_owned()), ..AskedRows::default() };
        assert_eq!(empty.check().unwrap(), Filter::default());
        assert_eq!(empty.check().unwrap().as_which(), Some(Which::InPlace));
        assert_eq!(asked("order", "least_similar").check().unwrap().as_which(), Some(Which::LeastSimilar));
        assert_eq!(asked("order", "removed").check().unwrap().as_which(), None);
        for (name, wrong) in [("order", "best"), ("kind", "twin"), ("similarity_from", "2"), ("similarity_from", "x")] {
            let problem = asked(name, wrong).check().unwrap_err();
            assert_eq!(problem.kind(), Kind::Malformed, "{name} {wrong}");
            assert!(problem.detail().starts_with(name), "{}", problem.detail());
        }
    }
}
