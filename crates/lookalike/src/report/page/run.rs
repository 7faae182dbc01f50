//! The course of the run: the funnel, its stages, and its parameters.

use lookalike_page::chart::{Funnel, FunnelStep};
use lookalike_page::{Budget, Cell, Column, Html, Table, clipped, html, name, number};

use crate::report::summary::{Stage, Summary};

/// Maximum bytes of skipped entries, and maximum number to list.
const SKIPPED_BYTES: usize = 60_000;
const SKIPPED: usize = 100;

/// Maximum number of characters of a word of the command line, and of a reason.
const WORD: usize = 300;
const REASON: usize = 200;

/// Maximum number of words of the command line: a shell may have inserted thousands of names.
const WORDS: usize = 60;

/// From documents to removals.
pub(super) fn funnel(summary: &Summary) -> Html {
    let (input, found) = (&summary.input, &summary.found);
    let step = |label: &str, count: Option<u64>, unit, note: &str| {
        count.map(|count| FunnelStep { label: label.to_owned(), count, unit, note: note.to_owned() })
    };
    let all = input.document_count + input.reference_document_count;
    let steps = [
        step("documents", Some(all), "documents", "all that were read"),
        step(
            "distinct texts",
            Some(all.saturating_sub(found.repeated_text_count)),
            "documents",
            "without exact copies of a better one",
        ),
        step(
            "sharing a bucket",
            found.sharing_bucket_count,
            "documents",
            "texts whose sketches agree with another in a band",
        ),
        step("removed", Some(found.removed_count), "documents", "with a kept near-duplicate each"),
    ];
    let pairs = match (found.candidate_count, found.measured_count, found.match_count) {
        (Some(candidates), Some(measured), Some(matches)) => format!(
            "{} shared a bucket and were looked at, {} of them were measured exactly, and {} are matches.",
            number::of(candidates, "pair"),
            number::count(measured),
            number::count(matches)
        ),
        _ => String::new(),
    };
    let funnel = Funnel {
        id: "from-all".to_owned(),
        title: "From all documents to those removed".to_owned(),
        description: format!("How many documents are left after each stage. {pairs}").trim_end().to_owned(),
        steps: steps.into_iter().flatten().collect(),
    };
    funnel.draw().figure()
}

/// The times, which differ in every run.
pub(super) fn stages(summary: &Summary) -> Html {
    let mut table = Table::new(
        "Stages",
        vec![
            Column::text("stage"),
            Column::number("seconds"),
            Column::number("share"),
            Column::number("peak memory so far"),
        ],
    );
    let memory = |bytes: Option<u64>| {
        bytes.map_or_else(|| Cell::text("–"), |bytes| Cell::number(&number::bytes(bytes), bytes as f64))
    };
    let row = |stage: &Stage| {
        let share = stage.seconds / summary.seconds.max(1e-9);
        vec![
            Cell::text(&stage.name),
            Cell::number(&format!("{:.3}", stage.seconds), stage.seconds),
            Cell::share(share),
            memory(stage.peak_memory_bytes),
        ]
    };
    table.rows = summary.stages.iter().map(row).collect();
    let speed = number::bytes((summary.input.bytes as f64 / summary.seconds.max(1e-9)) as u64);
    let peak = summary.peak_memory_bytes.map_or(String::new(), |bytes| format!(", {} of memory", number::bytes(bytes)));
    html!(
        "<p>{}</p>{}",
        format!(
            "{} for {} of text ({speed}/s) on {}{peak}.",
            number::seconds(summary.seconds),
            number::bytes(summary.input.bytes),
            number::of(summary.parameters.threads as u64, "thread")
        ),
        table.render()
    )
}

/// The parameters, the command to repeat the run, and skipped entries.
pub(super) fn parameters(summary: &Summary) -> Html {
    let mut section = html!("<p>lookalike {}.</p>\n", &*summary.lookalike);
    if !summary.command.is_empty() {
        section.push(&html!(
            "<p>The command line:</p><pre dir=\"ltr\"><code>{}</code></pre>\n",
            command(&summary.command)
        ));
    }
    let parameters = &summary.parameters;
    let mut table = Table::new("Parameters", vec![Column::text("parameter"), Column::text("value")]);
    let mut say =
        |name: &str, value: String| table.rows.push(vec![Cell::text(name), Cell::text(&clipped(&value, WORD))]);
    say("measure", parameters.measure.to_string());
    say("threshold", number::decimal(parameters.threshold));
    say("shingle", parameters.shingle.clone());
    say("fold", parameters.fold.clone());
    say("keep", parameters.keep.clone());
    let method = &parameters.method;
    let why = if parameters.exact_because_small { ", because the input is small" } else { "" };
    say("method", format!("{}{why}", method.name));
    let some = [
        ("bands", method.bands.map(|bands| bands.to_string())),
        ("rows", method.rows.map(|rows| rows.to_string())),
        ("agree", method.agree.map(|agree| agree.to_string())),
        ("slots", method.slots.map(|slots| slots.to_string())),
        ("features taken", method.taken.map(|taken| taken.to_string())),
        ("recall at the threshold", parameters.recall_at_threshold.map(number::decimal)),
        ("bits", method.bits.map(|bits| bits.to_string())),
        ("checksum", method.checksum.as_deref().map(str::to_owned)),
        ("sketch", method.sketch.clone()),
        ("sketch bits", method.sketch_bits.map(|bits| bits.to_string())),
        ("tables", method.tables.clone()),
        ("verify", method.verify.map(|verify| verify.to_string())),
        ("weights", method.shingle_weights.clone()),
    ];
    some.into_iter().for_each(|(name, value)| value.into_iter().for_each(|value| say(name, value)));
    say("group", parameters.group.to_string());
    say("key", parameters.key.to_string());
    say("only against", parameters.only_against.to_string());
    say("sketch bytes", parameters.sketch_bytes.to_string());
    say("source", parameters.source.clone());
    section.push(&table.render());
    section.push(&skipped(summary));
    section
}

/// The command line, quoted for a shell.
fn command(words: &[String]) -> String {
    let is_plain =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c));
    let quote = |word: &String| {
        if is_plain(word) { clipped(word, WORD) } else { format!("'{}'", clipped(word, WORD).replace('\'', "'\\''")) }
    };
    let mut shown: Vec<String> = words.iter().take(WORDS).map(quote).collect();
    if words.len() > WORDS {
        shown.push(format!("… ({} more words)", number::count((words.len() - WORDS) as u64)));
    }
    shown.join(" ")
}

fn skipped(summary: &Summary) -> Html {
    if summary.skipped.is_empty() {
        return html!("<h3>Skipped</h3><p>{}</p>\n", "Nothing was skipped.");
    }
    let columns = vec![
        Column::text("file"),
        Column::text("entry"),
        Column::number("position"),
        Column::text("reason"),
        Column::number("lost"),
    ];
    let table = Table { is_filtered: true, ..Table::new("Skipped entries", columns) };
    let (mut rows, mut room, mut shown) = (Html::default(), Budget::new(SKIPPED_BYTES), 0);
    for entry in summary.skipped.iter().take(SKIPPED) {
        let row = table.row(&[
            Cell::text(&name(&entry.file)),
            Cell::text(entry.entry),
            Cell::count(entry.position),
            Cell::text(&clipped(entry.reason.text(), REASON)),
            Cell::count(entry.count),
        ]);
        if !room.take(&row) {
            break;
        }
        shown += entry.count;
        rows.push(&row);
    }
    let all = summary.input.skipped_count + summary.input.reference_skipped_count;
    let more = match all.saturating_sub(shown) {
        0 => Html::default(),
        more => html!("<p class=\"soft\">{}</p>", format!("and {} more", number::count(more))),
    };
    html!("<h3>Skipped</h3>{}{}\n", table.around(&rows), more)
}
