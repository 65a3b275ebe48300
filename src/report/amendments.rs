//! Amendments to a study: records revised or withdrawn, and annotators joined or left out.

use std::collections::BTreeMap;

use super::{Column, Table, in_utc};
use crate::error::Result;
use crate::store::StudyFile;
use crate::study::amendment::standing;
use crate::study::{Act, AmendedKind, Amendment, StandingSample};
use crate::text::person::{renamed_behind, renamed_words};

/// Whether a table names people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeopleNamed {
    Yes,
    /// Names of people are left out; in reasons they are those by which the study tells of people.
    No,
}

/// The amendments that stand, a row for each; `None` without any.
pub fn table(study: &StudyFile, names: PeopleNamed) -> Result<Option<Table>> {
    let all = study.amendments()?;
    // Samples have their own list.
    let put_right = standing(&all).into_iter().filter(|one| one.act != Act::Draw);
    let rows: Vec<(&Amendment, String)> =
        put_right.map(|one| Ok((one, named(study, one, names)?))).collect::<Result<_>>()?;
    if rows.is_empty() {
        return Ok(None);
    }
    let told = match names {
        PeopleNamed::Yes => BTreeMap::new(),
        PeopleNamed::No => names_in_reasons(study, &all)?,
    };
    let columns = [
        Column::new("at", "when (UTC)", |(one, _): &(&Amendment, String)| in_utc(one.at, "%Y-%m-%d %H:%M")),
        Column::new("by", "who", |(one, _): &(&Amendment, String)| one.by.clone())
            .shown_if(names == PeopleNamed::Yes),
        Column::new("of", "kind", |(one, _): &(&Amendment, String)| one.of.name()),
        Column::new("what", "what", |(_, named): &(&Amendment, String)| named.clone()),
        Column::new("act", "act", |(one, _): &(&Amendment, String)| match one.act {
            Act::Join => "joined",
            Act::Revise => "revised",
            Act::Withdraw if one.of == AmendedKind::Annotator => "left out",
            Act::Withdraw | Act::Restore | Act::Draw | Act::Ask | Act::Answer => "withdrawn",
            Act::Erase => "erased",
        }),
        Column::new("why", "why", |(one, _): &(&Amendment, String)| renamed_words(&one.why, told.iter())),
    ];
    let mut table = Table::of("Put right", columns, &rows);
    let has = |act: Act| rows.iter().any(|(one, _)| one.act == act);
    if has(Act::Withdraw) || has(Act::Join) {
        table.notes.push("what is withdrawn counts nowhere; it stays in the journal".to_owned());
    }
    if rows.iter().any(|(one, _)| one.act == Act::Withdraw && one.of == AmendedKind::Annotator) {
        table.notes.push("of who is left out neither judgments count nor summaries of her own".to_owned());
    }
    if has(Act::Erase) {
        table.notes.push("of what is erased the name is left, and what was judged of it".to_owned());
    }
    if rows.iter().any(|(one, _)| one.act == Act::Revise && one.of != AmendedKind::Annotator) {
        let note = "judgments on what was revised are open again until they are confirmed or given anew";
        table.notes.push(note.to_owned());
    }
    Ok(Some(table))
}

/// The names that stand in reasons for those of people. Whoever decides need be no annotator, and has none but A.
fn names_in_reasons(study: &StudyFile, all: &[Amendment]) -> Result<BTreeMap<String, String>> {
    let mut told = study.names_told()?;
    for one in all {
        told.entry(one.by.clone()).or_insert_with(|| "A".to_owned());
    }
    Ok(told)
}

/// How each sample was drawn, in a sentence.
pub fn samples(study: &StudyFile) -> Result<Vec<String>> {
    let names = study.names_told()?;
    let told = |mut one: StandingSample| {
        for stratum in &mut one.sample.strata {
            if let Some(name) = names.get(&stratum.name) {
                stratum.name.clone_from(name);
            }
        }
        renamed_behind("@", &one.sample.sentence(&one.name), names.iter())
    };
    Ok(study.samples()?.into_iter().map(told).collect())
}

/// The subject of an amendment, as people know it.
fn named(study: &StudyFile, amendment: &Amendment, names: PeopleNamed) -> Result<String> {
    let (of, collection, query, id) = amendment.subject();
    Ok(match (of, names) {
        (AmendedKind::Annotator, PeopleNamed::No) => "an annotator".to_owned(),
        (AmendedKind::Annotator, PeopleNamed::Yes) => match &amendment.into {
            Some(into) => format!("{id} → {into}"),
            None => id.to_owned(),
        },
        (AmendedKind::Import, _) => {
            let files = study.imported_files()?;
            let file = files.into_iter().find(|file| file.content == id);
            file.map_or_else(|| id.to_owned(), |file| file.source)
        }
        _ => {
            let parts = [collection, query, id];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" / ")
        }
    })
}
