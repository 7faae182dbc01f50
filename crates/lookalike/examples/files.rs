//! Files in, files out, with the evidence: `cargo run --example files -- INPUT OUTPUT`.

use std::error::Error;

use lookalike::{DedupRequest, Silent};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(input), Some(output)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: files INPUT OUTPUT");
        return Ok(());
    };
    let summary = lookalike::dedup(&DedupRequest::new([input]).output(&output).check()?, &Silent)?;
    println!(
        "{} kept, {} removed; the evidence is in {output}/removed.jsonl",
        summary.found.kept_count, summary.found.removed_count
    );
    Ok(())
}
