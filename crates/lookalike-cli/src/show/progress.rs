//! Shows progress: a bar if a person is watching, otherwise a plain line from time to time.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use lookalike::io::write::Unfinished;
use lookalike::{Counted, Progress};

use crate::show::numbers;
use crate::show::streams::talk;
use crate::stop;

/// Time between plain lines.
const PERIOD: Duration = Duration::from_secs(10);

/// Shows the progress of a job on standard error.
#[derive(Default)]
pub(crate) struct Watch {
    counts: Arc<Counts>,
    bytes: AtomicU64,
    stage: Mutex<Option<Stage>>,
    /// True if the end of each stage is shown as well.
    is_verbose: bool,
}

/// Counts of a stage so far.
#[derive(Default)]
struct Counts {
    documents: AtomicU64,
    rereadings: AtomicU64,
}

struct Stage {
    name: &'static str,
    bytes: Option<u64>,
    started: Instant,
    last_line: Instant,
    bar: Option<ProgressBar>,
}

impl Progress for Watch {
    fn stage(&self, name: &'static str, bytes: Option<u64>) {
        self.finish();
        self.counts.documents.store(0, Relaxed);
        self.counts.rereadings.store(0, Relaxed);
        self.bytes.store(0, Relaxed);
        let bytes = bytes.filter(|bytes| *bytes > 0);
        let bar = std::io::stderr().is_terminal().then(|| self.bar(name, bytes));
        let now = Instant::now();
        *self.lock() = Some(Stage { name, bytes, started: now, last_line: now, bar });
    }

    fn advance(&self, bytes: u64, counted: Counted) {
        match counted {
            Counted::Documents(count) => {
                self.counts.documents.fetch_add(count, Relaxed);
            }
            Counted::Rereadings(count) => {
                self.counts.rereadings.fetch_add(count, Relaxed);
            }
            _ => {}
        }
        let done = self.bytes.fetch_add(bytes, Relaxed) + bytes;
        // If another thread is showing progress, do not wait for it.
        let Ok(mut stage) = self.stage.try_lock() else { return };
        let Some(stage) = stage.as_mut() else { return };
        if let Some(bar) = &stage.bar {
            bar.set_position(done);
        } else if stage.last_line.elapsed() >= PERIOD {
            stage.last_line = Instant::now();
            talk!("{}", stage.line(done, &self.counts));
        }
    }

    fn finish(&self) {
        let Some(Stage { name, started, bar, .. }) = self.lock().take() else { return };
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        if self.is_verbose {
            let seconds = started.elapsed().as_secs_f64();
            talk!("{name}: {}{}", self.counts.shown(seconds), numbers::seconds(seconds));
        }
    }

    fn is_stopped(&self) -> bool {
        stop::is_asked()
    }

    fn unfinished(&self) -> Unfinished {
        stop::unfinished().clone()
    }
}

impl Watch {
    /// Also shows the result of each stage when it ends.
    pub(crate) fn verbose() -> Self {
        Self { is_verbose: true, ..Self::default() }
    }

    fn bar(&self, name: &'static str, bytes: Option<u64>) -> ProgressBar {
        let template = match bytes {
            Some(_) => "{prefix:>8} {bar:30} {bytes} of {total_bytes}, {counted}{bytes_per_sec}, {eta} left",
            None => "{prefix:>8} {spinner} {counted}{elapsed}",
        };
        let counts = Arc::clone(&self.counts);
        let write = move |state: &ProgressState, f: &mut dyn std::fmt::Write| {
            let _ = f.write_str(&counts.shown(state.elapsed().as_secs_f64()));
        };
        let style = ProgressStyle::with_template(template).expect("the template is right").with_key("counted", write);
        let bar = bytes.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        bar.set_style(style);
        bar.set_prefix(name);
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Stage>> {
        self.stage.lock().expect("no thread panicked")
    }
}

impl Counts {
    /// Returns the counts with their rates, each followed by a comma; empty if nothing is counted.
    fn shown(&self, seconds: f64) -> String {
        let shown = |count: u64, words: String| match count {
            0 => String::new(),
            count => format!("{words} ({}/s), ", numbers::count((count as f64 / seconds.max(0.001)) as u64)),
        };
        let [documents, rereadings] = [&self.documents, &self.rereadings].map(|count| count.load(Relaxed));
        shown(documents, numbers::of(documents, "document"))
            + &shown(rereadings, format!("documents read again {}", times(rereadings)))
    }
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { numbers::of(count, "time") }
}

impl Stage {
    fn line(&self, done: u64, counts: &Counts) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        let (name, counted) = (self.name, counts.shown(seconds));
        match self.bytes {
            Some(bytes) => {
                let left = seconds * (bytes.saturating_sub(done)) as f64 / done.max(1) as f64;
                let [done, bytes] = [done, bytes].map(numbers::bytes);
                let left = numbers::seconds(left);
                format!("{name}: {done} of {bytes}, {counted}{left} left")
            }
            None => format!("{name}: {counted}{}", numbers::seconds(seconds)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_after(counted: &[Counted]) -> String {
        let watch = Watch::default();
        counted.iter().for_each(|counted| watch.advance(0, *counted));
        watch.counts.shown(2.0)
    }

    #[test]
    fn what_is_counted_is_called_by_its_name() {
        assert_eq!(line_after(&[Counted::Documents(3000), Counted::Documents(1000)]), "4,000 documents (2,000/s), ");
        assert_eq!(line_after(&[Counted::Documents(1)]), "1 document (0/s), ");
        assert_eq!(line_after(&[Counted::Rereadings(5000)]), "documents read again 5,000 times (2,500/s), ");
        assert_eq!(line_after(&[]), "");
    }

    #[test]
    fn a_new_stage_counts_anew() {
        let watch = Watch::default();
        watch.stage("sketch", None);
        watch.advance(0, Counted::Documents(7));
        watch.stage("verify", None);
        watch.advance(0, Counted::Rereadings(2));
        assert_eq!(watch.counts.shown(1.0), "documents read again 2 times (2/s), ");
    }
}
