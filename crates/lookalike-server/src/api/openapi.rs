//! The description of all routes, in `OpenAPI`.

use std::sync::LazyLock;

use utoipa::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};

use super::{compare, documents, indexes, maintenance, search, system};
use crate::results;
use crate::results::export::ExportFormat;
use crate::runs::filter::{Order, RemovalKind};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "lookalike",
        description = "Saved indexes of documents over HTTP: what is acknowledged is on disk, and every similarity is measured exactly. \
            Errors are problem details (RFC 9457).",
        license(name = "MIT OR Apache-2.0")
    ),
    paths(
        indexes::list, indexes::create, indexes::show, indexes::delete,
        documents::add, documents::list, documents::show, documents::delete, documents::delete_many,
        search::search, compare::compare,
        maintenance::compact, maintenance::snapshot, maintenance::verify, maintenance::tasks, maintenance::task,
        results::list, results::make::make, results::summary, results::make::delete, results::export::export, results::files::list, results::files::download, results::removed, results::clusters, results::sources,
        system::livez, system::readyz, system::metrics, system::openapi,
    ),
    // Those of parameters are not found through the paths.
    components(schemas(ExportFormat, Order, RemovalKind)),
    security(("key" = [])),
    tags(
        (name = "indexes", description = "Create, inspect and delete indexes."),
        (name = "documents", description = "Add, show, list and delete documents."),
        (name = "search", description = "Search by a text or by a stored document."),
        (name = "results", description = "Results of finished runs, page by page."),
        (name = "tasks", description = "Work that takes longer than a request."),
        (name = "server", description = "The state of the server; no key is needed."),
    )
)]
struct Description;

static TEXT: LazyLock<String> = LazyLock::new(|| {
    let mut description = Description::openapi();
    let components = description.components.get_or_insert_default();
    let mut key = Http::new(HttpAuthScheme::Bearer);
    key.description = Some("A key of this server. Without a file of keys, no key is needed.".to_owned());
    components.add_security_scheme("key", SecurityScheme::Http(key));
    description.to_pretty_json().expect("a description is plain data")
});

/// The description of all routes, as JSON.
pub fn openapi() -> &'static str {
    &TEXT
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_operation_has_a_name_of_its_own() {
        let description: serde_json::Value = serde_json::from_str(openapi()).unwrap();
        let paths = description["paths"].as_object().unwrap().values();
        let operations = paths.flat_map(|path| path.as_object().unwrap().values());
        let mut names: Vec<&str> = operations.map(|operation| operation["operationId"].as_str().unwrap()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn everything_that_the_description_refers_to_is_in_it() {
        let description: serde_json::Value = serde_json::from_str(openapi()).unwrap();
        let named = openapi().split("\"#/components/schemas/").skip(1).filter_map(|rest| rest.split('"').next());
        for name in named {
            assert!(description["components"]["schemas"].get(name).is_some(), "{name}");
        }
    }

    /// Set `UPDATE_SNAPSHOTS` to write it anew, and look at the difference.
    #[test]
    fn the_description_is_as_it_was_published() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
        let now = format!("{}\n", openapi());
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(&path, &now).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap();
        assert!(published == now, "openapi.json is not what the routes say: write it anew and look at the difference");
    }
}
