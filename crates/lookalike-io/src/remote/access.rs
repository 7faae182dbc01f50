//! Maps addresses to stores, from settings: one store per bucket and one client for the web.
//!
//! `object_store` has a function for this (`parse_url_opts`), which would modify signed addresses, use its own retries,
//! and create a client per address; its builders are therefore called individually.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use object_store::ObjectStore;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{HttpClient, HttpConnector};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use url::Url;

use super::address::{Address, Cloud};
use super::client::{self, Connector, Shared};
use super::patience::Patience;
use super::settings::{self, Settings};
use crate::error::{Error, Result};
use crate::problem::Problem;

/// Access to stores: settings and retries. The functions of [`crate::remote`] use those of the environment.
#[derive(Debug)]
pub struct Access {
    settings: Settings,
    pub(super) patience: Patience,
    /// Stores by the root of their addresses.
    stores: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
    /// Clients for `http://` and `https://`.
    web: [Mutex<Option<HttpClient>>; 2],
}

/// A store, and a path in it.
#[derive(Clone, Debug)]
pub(super) struct Location {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) path: Path,
}

impl Access {
    /// The settings of this process's environment, under the names that each store's own tools use.
    pub fn of_environment() -> &'static Self {
        static AMBIENT: LazyLock<Access> =
            LazyLock::new(|| Access { settings: settings::of_environment(), ..Access::new([], Patience::default()) });
        &AMBIENT
    }

    /// Uses only these settings, under the names of environment variables or of `object_store`'s options.
    pub fn new<'a>(settings: impl IntoIterator<Item = (&'a str, &'a str)>, patience: Patience) -> Self {
        let settings =
            settings.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
        Self { settings, patience, stores: Mutex::default(), web: [Mutex::default(), Mutex::default()] }
    }

    /// The store of an address and the path in it.
    pub(super) fn location(&self, address: &Address) -> Result<Location> {
        let location = match address {
            Address::Bucket { cloud, root, key } => Path::parse(key)
                .map_err(|error| Problem::Address { cause: error.to_string() })
                .and_then(|path| Ok(Location { store: self.bucket(*cloud, root)?, path })),
            Address::Web(url) => self.below_host(url),
        };
        location.map_err(|problem| Error::Remote { url: address.shown(), problem })
    }

    /// The store of a bucket, created at first use.
    fn bucket(&self, cloud: Cloud, root: &str) -> std::result::Result<Arc<dyn ObjectStore>, Problem> {
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = stores.get(root) {
            return Ok(Arc::clone(store));
        }
        let made = match cloud {
            Cloud::Amazon => self.amazon(root),
            Cloud::Google => self.google(root),
            Cloud::Azure => self.azure(root),
        };
        let store = made.map_err(|error| Problem::Settings { cause: error.to_string() })?;
        stores.insert(root.to_owned(), Arc::clone(&store));
        Ok(store)
    }

    fn amazon(&self, root: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
        let connector = Connector {
            metadata_endpoint: self.settings.get("aws_metadata_endpoint").cloned(),
            has_older_way: self.settings.contains_key("aws_imdsv1_fallback"),
        };
        let mut builder = AmazonS3Builder::new().with_client_options(client::options()).with_http_connector(connector);
        let endpoint = ["aws_endpoint_url_s3", "aws_endpoint_url", "aws_endpoint"]
            .iter()
            .find_map(|name| self.settings.get(*name));
        // A configured endpoint without encryption is intentional; Amazon's own tools do not ask either.
        builder = builder.with_allow_http(endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")));
        for (key, value) in self.options() {
            builder = builder.with_config(key, value);
        }
        Ok(Arc::new(builder.with_retry(self.patience.for_requests()).with_url(root).build()?))
    }

    fn google(&self, root: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
        let mut builder = GoogleCloudStorageBuilder::new()
            .with_client_options(client::options())
            .with_http_connector(Connector::default());
        for (key, value) in self.options() {
            builder = builder.with_config(key, value);
        }
        Ok(Arc::new(builder.with_retry(self.patience.for_requests()).with_url(root).build()?))
    }

    fn azure(&self, root: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
        let metadata_endpoint = self.settings.get("azure_msi_endpoint").cloned();
        let connector = Connector { metadata_endpoint, has_older_way: false };
        let mut builder =
            MicrosoftAzureBuilder::new().with_client_options(client::options()).with_http_connector(connector);
        for (key, value) in self.options() {
            builder = builder.with_config(key, value);
        }
        Ok(Arc::new(builder.with_retry(self.patience.for_requests()).with_url(root).build()?))
    }

    /// The settings that a store supports.
    fn options<K: std::str::FromStr>(&self) -> impl Iterator<Item = (K, &str)> {
        self.settings.iter().filter_map(|(name, value)| Some((name.parse().ok()?, value.as_str())))
    }

    /// The client for a web address. An encrypted request is never redirected to an unencrypted address.
    pub(super) fn web_client(&self, url: &Url) -> std::result::Result<HttpClient, Problem> {
        let is_open = url.scheme() == "http";
        let mut web = self.web[usize::from(is_open)].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*web {
            return Ok(client.clone());
        }
        let options = self.options().fold(client::options(), |options, (key, value)| options.with_config(key, value));
        let made = Connector::default().connect(&options.with_allow_http(is_open));
        let client = made.map_err(|error| Problem::Settings { cause: error.to_string() })?;
        *web = Some(client.clone());
        Ok(client)
    }

    /// A store for this one object, so that its address is sent unchanged.
    pub(super) fn single(&self, url: &Url) -> std::result::Result<Location, Problem> {
        Ok(Location { store: self.web_store(url)?, path: Path::ROOT })
    }

    /// The host as a store, in which folders can be listed and created. The query is sent with every request.
    fn below_host(&self, url: &Url) -> std::result::Result<Location, Problem> {
        let path = Path::from_url_path(url.path()).map_err(|error| Problem::Address { cause: error.to_string() })?;
        let mut root = url.clone();
        root.set_path("/");
        Ok(Location { store: self.web_store(&root)?, path })
    }

    fn web_store(&self, url: &Url) -> std::result::Result<Arc<dyn ObjectStore>, Problem> {
        let builder = HttpBuilder::new().with_url(url.as_str()).with_retry(self.patience.for_requests());
        let store = builder.with_http_connector(Shared(self.web_client(url)?)).build();
        Ok(Arc::new(store.map_err(|error| Problem::Settings { cause: error.to_string() })?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_address_has_a_store() {
        let access = Access::new(
            [("AZURE_STORAGE_ACCOUNT_NAME", "a"), ("AWS_SKIP_SIGNATURE", "true"), ("GOOGLE_SKIP_SIGNATURE", "true")],
            Patience::default(),
        );
        for url in ["s3://b/k", "s3a://b/k", "gs://b/k", "az://c/k", "abfs://c/k", "abfss://c@a.dfs.core.windows.net/k"]
        {
            let address = Address::parse(url).unwrap();
            assert_eq!(access.location(&address).unwrap().path.as_ref(), "k", "{url}");
            let (first, again) = (access.location(&address).unwrap().store, access.location(&address).unwrap().store);
            assert!(Arc::ptr_eq(&first, &again), "{url}");
        }
        for url in ["http://h/a/k?x=y", "https://s3.amazonaws.com/a/k?X-Amz-Signature=y"] {
            assert_eq!(access.location(&Address::parse(url).unwrap()).unwrap().path.as_ref(), "a/k");
        }
    }

    #[test]
    fn what_is_missing_is_told() {
        let access = Access::new([], Patience::default());
        let message = access.location(&Address::parse("az://c/k").unwrap()).unwrap_err().to_string();
        assert!(message.contains("az://c/k") && message.to_lowercase().contains("account"), "{message}");
        let message = access.location(&Address::parse("s3://b/a//c").unwrap()).unwrap_err().to_string();
        assert!(message.contains("empty"), "{message}");
    }
}
