//! Records against their sums: what stands once in the file and nothing else follows from.

use super::CheckReport;
use crate::number::number_of;
use crate::store::fault::Tried;
use crate::store::study_file::StudyFile;
use crate::store::sums;

const AREA: &str = "records";

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
