//! Explains why two records are a match, or why they are not.

use lookalike::{ClusterExplanation, Compared, LinkRequest, PairExplanation};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::cells::{Cells, tables};
use crate::job::Runner;
use crate::options::{options, refuse};

/// Explains two records of a call of `link`, as JSON: from the folder of its result if it has one, and else by linking again.
#[pyfunction]
#[pyo3(signature = (given, in_memory, ids, model_text=None))]
pub(crate) fn explain_link(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    in_memory: Vec<PyRef<'_, Cells>>,
    ids: [String; 2],
    model_text: Option<String>,
) -> PyResult<String> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = LinkRequest::from_options(options(given)?).map_err(refuse)?;
    request.in_memory = tables(&in_memory);
    request.model_text = model_text;
    let options = request.check().map_err(refuse)?;
    let ids = ids.each_ref().map(String::as_str);
    let explained = Runner::new(options.resources(), None).run(py, |progress| match options.folder() {
        Some(folder) => lookalike::explain_result(folder, ids, options.resources().memory(), progress),
        None => lookalike::explain(&options, ids, progress),
    })?;
    Ok(to_json(&explained).to_string())
}

fn to_json(pair: &PairExplanation) -> Value {
    let fields = pair.fields.fields.iter().map(|field| {
        json!({
            "column": field.name,
            "left": field.left,
            "right": field.right,
            "level": field.level,
            "bits": field.weight,
            "points": field.points,
        })
    });
    let clusters = match pair.clusters {
        ClusterExplanation::Together { cluster, .. } => [cluster, cluster],
        ClusterExplanation::Apart { clusters, .. } => clusters,
    };
    json!({
        "match": pair.is_match,
        "probability": pair.fields.probability,
        "threshold": pair.threshold,
        "bits": pair.fields.weight,
        "prior_bits": pair.fields.prior,
        "bounded_bits": pair.fields.bounded,
        "fields": fields.collect::<Vec<_>>(),
        "compared": match pair.compared {
            Compared::Yes => "yes",
            Compared::NoKey => "no_key",
            Compared::TooMany => "too_many",
            Compared::OneField => "one_field",
            Compared::SameTable => "same_table",
        },
        "clusters": clusters,
    })
}
