//! Files in, files out, with the evidence: `cargo run --example files -- INPUT OUTPUT`.

use lookalike::{DedupOptions, Result, Silent};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(input), Some(output)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: files INPUT OUTPUT");
        return Ok(());
    };
    let summary = lookalike::dedup(&DedupOptions::new([input]).to_folder(&output), &Silent)?;
    println!(
        "{} kept, {} removed; the evidence is in {output}/removed.jsonl",
        summary.found.kept, summary.found.removed
    );
    Ok(())
}
