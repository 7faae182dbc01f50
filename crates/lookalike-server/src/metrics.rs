//! Metrics for Prometheus.

use std::fmt;

use axum::http::{Method, StatusCode};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use lookalike_index::Stat;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    method: String,
    route: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: String,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct IndexLabels {
    index: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LaneLabels {
    lane: &'static str,
}

/// All counters.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabels, Histogram>,
    under_way: Gauge,
    refused_connections: Counter,
    documents: Family<IndexLabels, Gauge>,
    segments: Family<IndexLabels, Gauge>,
    disk_bytes: Family<IndexLabels, Gauge>,
    waiting: Family<LaneLabels, Gauge>,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Default for Metrics {
    fn default() -> Self {
        // From 0.1 ms to half a minute, doubling.
        let seconds = Family::new_with_constructor(buckets as fn() -> Histogram);
        let mut metrics = Self {
            registry: Registry::with_prefix("lookalike"),
            requests: Family::default(),
            seconds,
            under_way: Gauge::default(),
            refused_connections: Counter::default(),
            documents: Family::default(),
            segments: Family::default(),
            disk_bytes: Family::default(),
            waiting: Family::default(),
        };
        metrics.register();
        metrics
    }
}

fn buckets() -> Histogram {
    Histogram::new(exponential_buckets(0.0001, 2.0, 19))
}

/// A request in progress.
pub(crate) struct UnderWay(Gauge);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    fn register(&mut self) {
        let registry = &mut self.registry;
        registry.register("requests", "Requests that were answered", self.requests.clone());
        registry.register("request_seconds", "Time to an answer", self.seconds.clone());
        registry.register("requests_under_way", "Requests that are not answered yet", self.under_way.clone());
        registry.register(
            "refused_connections",
            "Connections for which there was no room",
            self.refused_connections.clone(),
        );
        registry.register("documents", "Documents that can be found", self.documents.clone());
        registry.register("segments", "Segments on the disk", self.segments.clone());
        registry.register("disk_bytes", "Bytes of segments and logs", self.disk_bytes.clone());
        registry.register("waiting", "Requests that wait for their turn", self.waiting.clone());
    }

    /// Counts a request until the returned value is dropped.
    pub(crate) fn begin(&self) -> UnderWay {
        self.under_way.inc();
        UnderWay(self.under_way.clone())
    }

    /// Counts a response.
    pub(crate) fn end(&self, method: &Method, route: &str, status: StatusCode, seconds: f64) {
        // A method may be any word; only known ones are counted by name.
        let known = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::DELETE];
        let method = if known.contains(method) { method.as_str() } else { "other" }.to_owned();
        let route = route.to_owned();
        self.seconds.get_or_create(&RouteLabels { method: method.clone(), route: route.clone() }).observe(seconds);
        self.requests.get_or_create(&RequestLabels { method, route, status: status.as_u16() }).inc();
    }

    /// Counts a connection that was refused.
    pub(crate) fn refused_connection(&self) {
        self.refused_connections.inc();
    }

    /// All metrics as text, including those of the indexes, and the numbers of queued searches and writes.
    pub(crate) fn text(&self, indexes: &[(String, Stat)], waiting: [usize; 2]) -> String {
        for of_index in [&self.documents, &self.segments, &self.disk_bytes] {
            of_index.clear();
        }
        for (index, stat) in indexes {
            let labels = IndexLabels { index: index.clone() };
            self.documents.get_or_create(&labels).set(stat.document_count as i64);
            self.segments.get_or_create(&labels).set(stat.segment_count as i64);
            self.disk_bytes.get_or_create(&labels).set((stat.segment_bytes + stat.log_bytes) as i64);
        }
        for (lane, waiting) in ["search", "write"].into_iter().zip(waiting) {
            self.waiting.get_or_create(&LaneLabels { lane }).set(waiting as i64);
        }
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("a string takes everything");
        text
    }
}
