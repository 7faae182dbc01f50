//! `lookalike schema`: the JSON Schema of each output.

use anyhow::Result;
use clap::{Args, ValueEnum};
use lookalike::index::{Added, Duplicate, SearchRow, Searched, Stat, Verification};
use lookalike::{
    Analysis, AuditResult, BoilerplateReport, ClusterRow, Decided, DecontaminateSummary, DocumentRow, Evaluation,
    ExtractReport, ExtractedText, HitRow, Husk, ItemRow, Label, Leak, LinkReport, LinkedRow, MatchRow, PairRow,
    PairsReport, PassagesSummary, PrintPair, PrintsReport, RecordLabel, Removal, RepeatedPassage, Reported,
    ReviewState, SetPair, SetsReport, SharedPassage, SplitsReport, Summary, Tuning,
};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use crate::commands::Done;
use crate::commands::compare::Compared;
use crate::commands::index::upkeep::{Compacted, Deleted, ExportSummary, Exported, MergeSummary, Upgraded};
use crate::commands::link::WroteConfig;
use crate::show::link::Explained;
use crate::show::streams::show;

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// The output; without it, an object with all of them by name
    name: Option<OutputName>,
}

/// The outputs that have a schema.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum OutputName {
    /// summary.json of dedup
    Summary,
    /// A line of removed.jsonl
    Removal,
    /// A document and whether it is kept, as the library has them
    Document,
    /// A row of pairs
    Pair,
    /// The summary of pairs
    PairsSummary,
    /// A line of hits.jsonl of decontaminate
    Hit,
    /// A line of items.jsonl of decontaminate
    Item,
    /// summary.json of decontaminate
    DecontaminateSummary,
    /// A line of cuts.jsonl
    Passage,
    /// A line of husks.jsonl
    Husk,
    /// summary.json of passages
    PassagesSummary,
    /// A line of leaks.jsonl
    Leak,
    /// A line of passages.jsonl of splits
    SharedPassage,
    /// summary.json of splits
    SplitsSummary,
    /// The summary of boilerplate
    BoilerplateSummary,
    /// The result of compare
    Comparison,
    /// A row of extract
    ExtractedText,
    /// The summary of extract
    ExtractSummary,
    /// A line of labels.jsonl
    Label,
    /// audit.json
    Audit,
    /// The result of evaluate
    Evaluation,
    /// The result of tune
    Tuning,
    /// A match of link, which matches.csv has as columns
    Match,
    /// A row of clusters.csv
    Cluster,
    /// A row of linked.csv, as the library has it
    Linked,
    /// summary.json of link
    LinkSummary,
    /// model.json of link
    LinkModel,
    /// A row of sets
    SetPair,
    /// The summary of sets
    SetsSummary,
    /// A row of prints
    PrintPair,
    /// The summary of prints
    PrintsSummary,
    /// A row of search
    SearchMatch,
    /// The summary of search
    SearchSummary,
    /// A document that index add --unless-duplicate does not add
    Duplicate,
    /// The summary of index add
    AddSummary,
    /// The result of index stat
    IndexStat,
    /// The result of index verify
    IndexVerification,
    /// A line of index export
    IndexDocument,
    /// The summary of index export
    ExportSummary,
    /// The summary of index delete
    DeleteSummary,
    /// The summary of index compact
    CompactSummary,
    /// The summary of index merge
    MergeSummary,
    /// The summary of index upgrade
    UpgradeSummary,
    /// The summary of report
    ReportSummary,
    /// The result of link explain
    LinkExplanation,
    /// The result of link analyze
    LinkAnalysis,
    /// A label of link review
    LinkLabel,
    /// The summary of link review
    ReviewSummary,
    /// The summary of link config
    ConfigSummary,
}

impl OutputName {
    fn schema(self) -> Schema {
        match self {
            Self::Summary => of::<Summary>(),
            Self::Removal => of::<Removal>(),
            Self::Document => of::<DocumentRow>(),
            Self::Pair => of::<PairRow>(),
            Self::PairsSummary => of::<PairsReport>(),
            Self::Hit => of::<HitRow>(),
            Self::Item => of::<ItemRow>(),
            Self::DecontaminateSummary => of::<DecontaminateSummary>(),
            Self::Passage => of::<RepeatedPassage>(),
            Self::Husk => of::<Husk>(),
            Self::PassagesSummary => of::<PassagesSummary>(),
            Self::Leak => of::<Leak>(),
            Self::SharedPassage => of::<SharedPassage>(),
            Self::SplitsSummary => of::<SplitsReport>(),
            Self::BoilerplateSummary => of::<BoilerplateReport>(),
            Self::Comparison => of::<Compared<'_>>(),
            Self::ExtractedText => of::<ExtractedText>(),
            Self::ExtractSummary => of::<ExtractReport>(),
            Self::Label => of::<Label>(),
            Self::Audit => of::<AuditResult>(),
            Self::Evaluation => of::<Evaluation>(),
            Self::Tuning => of::<Tuning>(),
            Self::Match => of::<MatchRow>(),
            Self::Cluster => of::<ClusterRow>(),
            Self::Linked => of::<LinkedRow>(),
            Self::LinkSummary => of::<LinkReport>(),
            Self::LinkModel => of::<Decided>(),
            Self::SetPair => of::<SetPair>(),
            Self::SetsSummary => of::<SetsReport>(),
            Self::PrintPair => of::<PrintPair>(),
            Self::PrintsSummary => of::<PrintsReport>(),
            Self::SearchMatch => of::<SearchRow>(),
            Self::SearchSummary => of::<Searched>(),
            Self::Duplicate => of::<Duplicate>(),
            Self::AddSummary => of::<Added>(),
            Self::IndexStat => of::<Stat>(),
            Self::IndexVerification => of::<Verification>(),
            Self::IndexDocument => of::<Exported<'_>>(),
            Self::ExportSummary => of::<ExportSummary>(),
            Self::DeleteSummary => of::<Deleted>(),
            Self::CompactSummary => of::<Compacted>(),
            Self::MergeSummary => of::<MergeSummary>(),
            Self::UpgradeSummary => of::<Upgraded>(),
            Self::ReportSummary => of::<Reported>(),
            Self::LinkExplanation => of::<Explained<'_>>(),
            Self::LinkAnalysis => of::<Analysis>(),
            Self::LinkLabel => of::<RecordLabel>(),
            Self::ReviewSummary => of::<ReviewState>(),
            Self::ConfigSummary => of::<WroteConfig<'_>>(),
        }
    }
}

/// The schema of a type as it is written.
fn of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

impl SchemaArguments {
    pub(crate) fn run(&self) -> Result<Done> {
        let named = |name: &OutputName| {
            let written = name.to_possible_value().map(|value| value.get_name().to_owned());
            (written.unwrap_or_default(), name.schema().to_value())
        };
        let all = || Value::Object(OutputName::value_variants().iter().map(named).collect::<Map<_, _>>());
        let schema = self.name.map_or_else(all, |name| name.schema().to_value());
        let schema = serde_json::to_string_pretty(&schema)?;
        show(|out| writeln!(out, "{schema}"))?;
        Ok(Done::All)
    }
}
