//! Checks assignments: each is to a person, on terms that can be read, on the side of the study that the terms name.

use super::{CheckReport, Strange};
use crate::number::number_of;
use crate::store::file::{StudyFile, Tried, one};
use crate::store::work::assignments::{GIVEN, KINDS, WITHDRAWN};
use crate::study::{Aside, Terms};

const AREA: &str = "assignments";

pub(super) fn look_at(study: &StudyFile, report: &mut CheckReport) -> Tried<()> {
    let connection = &study.connection;
    let before = report.findings.len();
    let of_models =
        "SELECT count(DISTINCT x.item) FROM assignment_event x JOIN annotator a ON a.id = x.annotator
         WHERE a.kind = 'model'";
    let models: usize = one(connection, of_models, [])?;
    let what = "given to a model, which judges outside of haymark";
    report.wrong_ones(AREA, (models, "item"), what, "assign them anew to people: `haymark assign`");
    let (mut unreadable, mut other_side) = (0, 0);
    let mut statement = connection
        .prepare("SELECT x.body, i.aside, x.kind FROM assignment_event x JOIN item i ON i.id = x.item")?;
    let mut rows = statement.query([])?;
    let mut strange = Strange::among(&KINDS);
    while let Some(row) = rows.next()? {
        match row.get_ref(2)?.as_str()? {
            GIVEN => {}
            WITHDRAWN => continue,
            other => {
                strange.add(other.to_owned());
                continue;
            }
        }
        let aside = row.get_ref(1)?.as_str_or_null()?.and_then(Aside::named);
        match serde_json::from_str::<Terms>(row.get_ref(0)?.as_str()?) {
            Ok(terms) => other_side += usize::from(terms.aside() != aside),
            Err(_) => unreadable += 1,
        }
    }
    let (what, advice) = (
        "with terms that cannot be read, counted for nothing",
        "run `haymark assign` again, or update haymark",
    );
    report.wrong_ones(AREA, (unreadable, "assignment"), what, advice);
    let what = "of items on another side of the study than the role says";
    let advice = "go back to a copy, or run `haymark assign` again";
    report.wrong_ones(AREA, (other_side, "assignment"), what, advice);
    strange.report(AREA, "assignment", report);
    if report.findings.len() == before {
        let assigned = study.assignment_records()?;
        let mut people: Vec<&str> = assigned.iter().map(|one| one.annotator.as_str()).collect();
        people.sort_unstable();
        people.dedup();
        let (items, people) = (number_of(assigned.len(), "assignment"), number_of(people.len(), "annotator"));
        report.right(AREA, format!("{items} of {people}"));
    }
    Ok(())
}
