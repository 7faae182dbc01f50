//! S4: edges to families. S5: whole families to batches, and the documents of each batch by unit.

use lookalike_core::bucket::Union;
use lookalike_io::stored::{Columns, Kind, Values};
use serde_json::json;

use super::Context;
use super::buckets::{BUCKETS, EDGES};
use super::files::{Outputs, TaskRow, damaged};
use super::rank::{GROUP_ROWS, Ranked, for_each_group};
use super::stage::TaskStage;
use crate::error::{Error, Result};

const FAMILIES: Columns<'_> = &[("rank", Kind::Whole), ("family", Kind::Whole)];

/// A document of a batch. There is a row group for each unit that has some.
const ASSIGNED: Columns<'_> =
    &[("unit", Kind::Whole), ("ordinal", Kind::Whole), ("batch", Kind::Whole), ("rank", Kind::Whole)];

/// Joins edges to families: rows of a family are together, and its best text names it.
pub(super) fn families(context: &Context<'_>, attempt: u32) -> Result<TaskRow> {
    let mut outputs = Outputs::new(context.tasks, TaskStage::Families, 0, attempt);
    let count = Ranked::read(context)?.documents.len();
    let row = context.tasks.row(TaskStage::Buckets, 0)?;
    let mut union = Union::new(count);
    let mut is_in = vec![false; count];
    for_each_group(&context.tasks.open_table(&row, 0, EDGES)?, |columns| {
        for (left, right) in columns[0].iter().zip(&columns[1]) {
            if *left as usize >= count || *right as usize >= count {
                return Err(damaged("S3"));
            }
            union.join(*left as u32, *right as u32);
            is_in[*left as usize] = true;
            is_in[*right as usize] = true;
        }
        Ok(())
    })?;
    let ranks = (0..count as u32).filter(|rank| is_in[*rank as usize]);
    let mut rows: Vec<(u32, u32)> = ranks.map(|rank| (union.root(rank), rank)).collect();
    rows.sort_unstable();
    let mut buckets = vec![0_u64; count];
    for_each_group(&context.tasks.open_table(&row, 1, BUCKETS)?, |columns| {
        for (rank, some) in columns[0].iter().zip(&columns[1]) {
            if *rank as usize >= count {
                return Err(damaged("S3"));
            }
            buckets[union.root(*rank as u32) as usize] += *some as u64;
        }
        Ok(())
    })?;
    let families: Vec<&[(u32, u32)]> = rows.chunk_by(|left, right| left.0 == right.0).collect();
    // Of families of the same size the best one.
    let largest = families.iter().max_by_key(|family| (family.len(), std::cmp::Reverse(family[0].0)));
    let largest = largest.map_or((0, 0), |family| (family.len(), buckets[family[0].0 as usize]));
    outputs.note("families", families.len());
    outputs.note("largest_family", json!({"documents": largest.0, "buckets": largest.1}));
    outputs.table(".parquet", FAMILIES, |writer| {
        for some in rows.chunks(GROUP_ROWS) {
            writer.write(&[
                Values::Whole(some.iter().map(|(_, rank)| i64::from(*rank)).collect()),
                Values::Whole(some.iter().map(|(family, _)| i64::from(*family)).collect()),
            ])?;
        }
        Ok(())
    })?;
    Ok(outputs.finish())
}

/// Packs families into batches.
pub(super) fn pack(context: &Context<'_>, attempt: u32) -> Result<TaskRow> {
    let mut outputs = Outputs::new(context.tasks, TaskStage::Pack, 0, attempt);
    let ranked = Ranked::read(context)?;
    let row = context.tasks.row(TaskStage::Families, 0)?;
    let mut members: Vec<(u32, u32)> = Vec::new();
    for_each_group(&context.tasks.open_table(&row, 0, FAMILIES)?, |columns| {
        members.extend(columns[0].iter().zip(&columns[1]).map(|(rank, family)| (*family as u32, *rank as u32)));
        Ok(())
    })?;
    members.sort_unstable();
    if members.last().is_some_and(|(family, _)| *family as usize >= ranked.bytes.len()) {
        return Err(damaged("S4"));
    }
    let bytes_of = |family: &[(u32, u32)]| family.iter().map(|(_, rank)| ranked.bytes[*rank as usize]).sum::<u64>();
    // Unit, number there, batch, rank.
    let mut assigned: Vec<(u32, u32, u32, u32)> = Vec::with_capacity(members.len());
    let (mut batches, mut largest) = (Vec::<(u64, u64)>::new(), (0, 0, 0));
    for family in members.chunk_by(|left, right| left.0 == right.0) {
        let bytes = bytes_of(family);
        let is_full = batches.last().is_none_or(|(_, so_far)| so_far + bytes > context.tasks.batch_bytes());
        if is_full {
            batches.push((0, 0));
        }
        let batch = batches.len() - 1;
        batches[batch].0 += family.len() as u64;
        batches[batch].1 += bytes;
        if family.len() > largest.0 {
            largest = (family.len(), bytes, batch);
        }
        let of_rank = |(_, rank): &(u32, u32)| {
            let at = *rank as usize;
            (ranked.units[at], ranked.ordinals[at], batch as u32, *rank)
        };
        assigned.extend(family.iter().map(of_rank));
    }
    assigned.sort_unstable();
    let buckets = row.counts.get("largest_family").and_then(|family| family["buckets"].as_u64()).unwrap_or(0);
    let (documents, bytes, batch) = largest;
    outputs.note("batches", batches.len());
    outputs.note("batch_rows", batches.iter().map(|batch| batch.0).collect::<Vec<u64>>());
    outputs.note("batch_bytes", batches.iter().map(|batch| batch.1).collect::<Vec<u64>>());
    let family = json!({"documents": documents, "bytes": bytes, "buckets": buckets, "batch": batch});
    outputs.note("largest_family", family);
    let groups = outputs.table(".parquet", ASSIGNED, |writer| {
        let mut groups = Vec::new();
        for of_unit in assigned.chunk_by(|left, right| left.0 == right.0) {
            groups.push((of_unit[0].0, writer.group_count()));
            writer.write(&[
                Values::Whole(of_unit.iter().map(|row| i64::from(row.0)).collect()),
                Values::Whole(of_unit.iter().map(|row| i64::from(row.1)).collect()),
                Values::Whole(of_unit.iter().map(|row| i64::from(row.2)).collect()),
                Values::Whole(of_unit.iter().map(|row| i64::from(row.3)).collect()),
            ])?;
        }
        Ok(groups)
    })?;
    outputs.note("groups", json!(groups));
    Ok(outputs.finish())
}

/// A document that is in a batch, by its number in its unit.
#[derive(Clone, Copy)]
pub(super) struct Assigned {
    pub(super) ordinal: u32,
    pub(super) batch: u32,
    pub(super) rank: u32,
}

/// The documents of a unit that are in batches, in order.
pub(super) fn assigned(context: &Context<'_>, unit: usize) -> Result<Vec<Assigned>> {
    let row = context.tasks.row(TaskStage::Pack, 0)?;
    let Some((_, group)) = row.pairs("groups").into_iter().find(|(of, _)| *of == unit) else {
        return Ok(Vec::new());
    };
    let table = context.tasks.open_table(&row, 0, ASSIGNED)?;
    let columns: Vec<Vec<i64>> = table.read(group).map_err(Error::from)?.into_iter().map(Values::into_whole).collect();
    let assigned = columns[1].iter().zip(&columns[2]).zip(&columns[3]).map(|((ordinal, batch), rank)| Assigned {
        ordinal: *ordinal as u32,
        batch: *batch as u32,
        rank: *rank as u32,
    });
    Ok(assigned.collect())
}
