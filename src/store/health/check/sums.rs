//! Compares records and the journal with their sums, since no other row tells what they should be.

use super::{COPY, CheckReport};
use crate::number::{NAMED, number_of};
use crate::store::corpus::StudyKeys;
use crate::store::file::{StudyFile, SumScope, Tried, block_sums, sums};

const AREA: &str = "records";
const JOURNAL: &str = "journal";

pub(super) fn look_at(study: &StudyFile, report: &mut CheckReport) -> Tried<()> {
    let (records, altered) = sums::compare(&study.connection)?;
    if altered.is_empty() {
        report.right(AREA, format!("{} as they were written", number_of(records, "record")));
    }
    for altered in altered {
        let advice = "go back to a copy; a merge of one into a new study names what differs";
        report.wrong(AREA, altered.to_string()).advise(advice);
    }
    Ok(())
}

/// Compares the journal with its sums, block by block.
pub(super) fn look_at_journal(study: &StudyFile, report: &mut CheckReport) -> Tried<()> {
    let altered = block_sums::compare(&study.connection, SumScope::Study)?;
    if altered.is_right() {
        let rows = number_of(altered.rows, "row");
        report.right(JOURNAL, format!("{rows} as they were written"));
        return Ok(());
    }
    let keys = StudyKeys::read(&study.connection)?;
    for row in &altered.flipped {
        let what = format!("not as it was written: {}", row.name(&study.connection, &keys)?);
        report.wrong(JOURNAL, what).advise("go back to a copy, or let --recover NEW put it back");
    }
    for block in altered.doubtful.iter().take(NAMED) {
        let what = format!(
            "not as they were written, one or more: {}",
            block.name(&study.connection, &keys)?.told(NAMED)
        );
        report.wrong(JOURNAL, what).advise(COPY);
    }
    if let Some(more @ 1..) = altered.doubtful.len().checked_sub(NAMED) {
        let what = format!("not as they were written: events in {} more", number_of(more, "block"));
        report.wrong(JOURNAL, what).advise(COPY);
    }
    Ok(())
}
