//! Errors of the gold map.

use super::Scope;
use super::recall::own_point_table;
use crate::report::grouped::grouped_table;
use crate::report::judged::CountedJudgment;
use crate::report::table::{Column, Table};
use crate::score::{Grouped, MapErrors, PairJudged, PlacementQuestion};

/// The tables of a protocol about where units stand: for those that were taken from no response the errors
/// of the gold map, for the points of responses their precision.
pub fn tables(scope: &Scope<'_>, question: &PlacementQuestion<'_>) -> Vec<Table> {
    let pair = |judgment: CountedJudgment<'_>| {
        let unit = scope.corpus.unit(judgment.target.unit?)?;
        let document = judgment.target.document.and_then(|id| scope.corpus.document(id));
        let is_mapped =
            unit.documents.as_ref().zip(document).map(|(gold, document)| gold.contains(&document.id));
        unit.candidate.is_none().then_some(())?;
        Some(PairJudged {
            origin: scope.judged.origin(scope.corpus, &judgment)?,
            is_mapped,
            is_present: question.read(judgment.answers)?,
        })
    };
    let pairs: Vec<PairJudged> = scope.judged.each().filter_map(pair).collect();
    let found = Grouped::of(&pairs, |pair| &pair.origin, scope.by_or(&["collection"]), MapErrors::of);
    let of_map = found.all.as_ref().map(|all| map_error_table(&found, all));
    of_map.into_iter().chain(own_point_table(scope, question)).collect()
}

/// False mappings and missed ones by group, as in Laban et al. 2024, §3.2.
fn map_error_table(found: &Grouped<MapErrors>, all: &MapErrors) -> Table {
    let mut columns = vec![
        Column::new("mapped", "mapped", |errors: &MapErrors| errors.mapped.items),
        Column::new("mapped_judgments", "judgments", |errors: &MapErrors| errors.mapped.judgments),
        Column::new("judgments_absent", "absent", |errors: &MapErrors| errors.absent).detail(),
    ];
    let how = found.uncertainty;
    columns.extend([
        Column::new("false_mapping", "absent", move |errors: &MapErrors| how.percent(&errors.false_mappings))
            .percent(),
        Column::new("unmapped", "others", |errors: &MapErrors| errors.unmapped.items),
        Column::new("unmapped_judgments", "judgments", |errors: &MapErrors| errors.unmapped.judgments),
        Column::new("judgments_present", "present", |errors: &MapErrors| errors.present).detail(),
        Column::new("missed", "present", move |errors: &MapErrors| how.percent(&errors.missed)).percent(),
        Column::new("unknown", "unknown", |errors: &MapErrors| errors.unknown.items).detail(),
    ]);
    let mut table = grouped_table("Errors of the gold map", found, columns);
    table.notes.push(
        "absent: mapped pairs of an insight and a document that are judged absent; present: a sample of the other \
         pairs, judged present."
            .to_owned(),
    );
    if all.unknown.items > 0 {
        let count = all.unknown.items;
        table.notes.push(format!("Pairs with units whose documents are not known, left out: {count}."));
    }
    table
}
