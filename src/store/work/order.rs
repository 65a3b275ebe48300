//! The items that a protocol makes of the corpus, and the order in which an annotator gets them.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};
use serde_json::Value;

use crate::error::Error;
use crate::protocol::{Pairing, PairsMade, Protocol, TargetPart};
use crate::store::corpus::read::{cited_list, grouped};
use crate::store::corpus::texts::{FIRST_TEXT, first_text};
use crate::store::corpus::{CITES_FIELD, StudyKeys, Target, counts};
use crate::store::file::{Tried, all, all_by, exists, first};
use crate::store::journal::sessions::earlier_among;
use crate::study::{CandidateId, CollectionId, DocumentId, ItemKey, Meta, QueryId, RankedDocument, UnitId};
use crate::text::bullets::bullets;
use crate::text::citation::citations;
use crate::text::fast::FastMap;
use crate::text::hash::{Fingerprint, fingerprint};

/// The rows of the corpus that matter to a protocol.
struct CorpusOffer<'a> {
    protocol: &'a Protocol,
    keys: &'a StudyKeys,
    queries: Vec<(QueryId, CollectionId)>,
    candidates: FastMap<QueryId, Vec<CandidateOffer>>,
    units: FastMap<QueryId, Vec<UnitOffer>>,
    gold: FastMap<UnitId, Vec<DocumentId>>,
    /// The documents ranked first for each query, where the protocol asks about them.
    ranked: FastMap<QueryId, Vec<DocumentId>>,
    documents: FastMap<CollectionId, Vec<DocumentId>>,
}

struct CandidateOffer {
    id: CandidateId,
    compared: Option<ComparedText>,
    /// The document numbers that each bullet cites, where the protocol asks about bullets.
    cited: Vec<BTreeSet<u32>>,
}

const NO_PART: CandidatePart<'_> = CandidatePart { candidate: None, bullet: None, other: None, cited: None };

/// The parts of a candidate by which pairs are made.
#[derive(Clone, Copy)]
struct ComparedText {
    /// Fingerprint of the text as it came in.
    text: Fingerprint,
    rank: Option<f64>,
}

/// A candidate, the bullet of it or the other candidate that is judged, and the documents that the bullet cites.
struct CandidatePart<'o> {
    candidate: Option<CandidateId>,
    bullet: Option<u32>,
    other: Option<CandidateId>,
    cited: Option<&'o BTreeSet<u32>>,
}

#[derive(Clone, Copy)]
struct UnitOffer {
    id: UnitId,
    gold_known: bool,
    /// The candidate that the unit was taken from.
    candidate: Option<CandidateId>,
}

/// All targets of a protocol in the order of the corpus.
pub(crate) fn targets(connection: &Connection, protocol: &Protocol, keys: &StudyKeys) -> Tried<Vec<Target>> {
    if lack(connection, protocol)?.is_some() {
        return Ok(Vec::new());
    }
    let offer = CorpusOffer::read(connection, protocol, keys)?;
    let mut found = Vec::new();
    for (query, collection) in &offer.queries {
        for CandidatePart { candidate, bullet, other, cited } in offer.candidates(*query) {
            for unit in offer.units(*query, candidate) {
                let id = unit.map(|unit| unit.id);
                let target = Target { candidate, unit: id, bullet, other, ..Target::of_query(*query) };
                if !protocol.targets(TargetPart::Document) {
                    found.push(target);
                    continue;
                }
                let documents = offer.documents(*collection, &target, unit, cited);
                found.extend(documents.into_iter().map(|document| Target { document, ..target }));
            }
        }
    }
    found.shrink_to_fit();
    Ok(found)
}

impl<'a> CorpusOffer<'a> {
    fn read(connection: &Connection, protocol: &'a Protocol, keys: &'a StudyKeys) -> Tried<CorpusOffer<'a>> {
        let [units, documents] = [TargetPart::Unit, TargetPart::Document].map(|part| protocol.targets(part));
        let rows_if = |is_asked: bool, counting: String| if is_asked { counting } else { "0".to_owned() };
        Ok(CorpusOffer {
            protocol,
            keys,
            queries: all(
                connection,
                &format!("SELECT id, collection FROM query WHERE {} ORDER BY id", counts("query", "id")),
                [],
            )?,
            candidates: grouped(match protocol.targets(TargetPart::Pair) {
                true => CorpusOffer::read_compared(connection)?,
                false if protocol.is_about_candidates() => {
                    CorpusOffer::read_candidates(connection, protocol)?
                }
                false => Vec::new(),
            }),
            units: grouped(match units {
                true => CorpusOffer::read_units(connection, protocol)?,
                false => Vec::new(),
            }),
            gold: grouped(all(
                connection,
                &format!(
                    "SELECT g.unit, g.document FROM gold g JOIN document d ON d.id = g.document WHERE {}
                     ORDER BY g.unit, d.number",
                    rows_if(units && documents, counts("document", "d.id"))
                ),
                [],
            )?),
            ranked: match protocol.documents {
                Pairing::Ranked => grouped(ranked(connection)?),
                _ => FastMap::default(),
            },
            documents: grouped(all(
                connection,
                &format!(
                    "SELECT collection, id FROM document WHERE {} ORDER BY collection, number",
                    rows_if(documents, counts("document", "id"))
                ),
                [],
            )?),
        })
    }

    fn read_candidates(
        connection: &Connection,
        protocol: &Protocol,
    ) -> Tried<Vec<(QueryId, CandidateOffer)>> {
        let text = if protocol.targets(TargetPart::Bullet) { "text" } else { "''" };
        let select = format!(
            "SELECT query, id, {text}, ifnull(instr(meta, '{CITES_FIELD}'), 0) FROM candidate WHERE {} ORDER BY id",
            counts("candidate", "id")
        );
        let mut found: Vec<(QueryId, CandidateOffer, bool)> = all_by(connection, &select, [], |row| {
            let cited = cited(row.get_ref(2)?.as_str()?);
            Ok((row.get(0)?, CandidateOffer { id: row.get(1)?, compared: None, cited }, row.get(3)?))
        })?;
        let has_cited = |offer: &CandidateOffer| offer.cited.iter().any(|numbers| !numbers.is_empty());
        let listed = found.iter_mut().filter(|(_, offer, cites_list)| *cites_list && has_cited(offer));
        for (_, offer, _) in listed {
            let list = cited_list(connection, offer.id)?;
            for numbers in &mut offer.cited {
                *numbers = numbers.iter().map(|written| list.meant(*written)).collect();
            }
        }
        Ok(found.into_iter().map(|(query, offer, _)| (query, offer)).collect())
    }

    /// Candidates to be compared. Of a session's snapshots only the last one is among them, once the session has ended.
    fn read_compared(connection: &Connection) -> Tried<Vec<(QueryId, CandidateOffer)>> {
        let select = format!(
            "SELECT query, id, key, meta, {FIRST_TEXT} FROM candidate WHERE {} ORDER BY id",
            counts("candidate", "id")
        );
        let mut found: Vec<(QueryId, CandidateOffer, String, Meta)> =
            all_by(connection, &select, [], |row| {
                let meta = row.get_ref(3)?.as_str_or_null()?.and_then(|meta| serde_json::from_str(meta).ok());
                let meta: Meta = meta.unwrap_or_default();
                let compared = ComparedText {
                    text: first_text(row, 4)?,
                    rank: meta.get("rank").and_then(Value::as_f64),
                };
                let offer = CandidateOffer { id: row.get(1)?, compared: Some(compared), cited: Vec::new() };
                Ok((row.get(0)?, offer, row.get(2)?, meta))
            })?;
        let named = found.iter().map(|(_, offer, key, meta)| (offer.id, key.as_str(), meta));
        let earlier = earlier_among(connection, named)?;
        found.retain(|(_, offer, ..)| !earlier.contains(&offer.id));
        Ok(found.into_iter().map(|(query, offer, ..)| (query, offer)).collect())
    }

    fn read_units(connection: &Connection, protocol: &Protocol) -> Tried<Vec<(QueryId, UnitOffer)>> {
        let select = format!(
            "SELECT u.query, u.id, u.gold_known, u.kind, k.id FROM unit u
             LEFT JOIN candidate k ON k.query = u.query AND k.key = u.candidate WHERE {} ORDER BY u.id",
            counts("unit", "u.id")
        );
        let all: Vec<_> = all_by(connection, &select, [], |row| {
            let unit = UnitOffer { id: row.get(1)?, gold_known: row.get(2)?, candidate: row.get(4)? };
            let is_taken = protocol.takes_unit(row.get_ref(3)?.as_str()?);
            Ok(is_taken.then_some((row.get(0)?, unit)))
        })?;
        Ok(all.into_iter().flatten().collect())
    }

    /// Candidates, their bullets with what these cite, or pairs of them.
    fn candidates(&self, query: QueryId) -> Vec<CandidatePart<'_>> {
        let targets = |part| self.protocol.targets(part);
        let candidates = self.candidates.get(&query).into_iter().flatten();
        let part = |candidate: &CandidateOffer| CandidatePart { candidate: Some(candidate.id), ..NO_PART };
        if targets(TargetPart::Pair) {
            let pairs = self.pairs(query).into_iter();
            return pairs
                .map(|[one, other]| CandidatePart { candidate: Some(one), other: Some(other), ..NO_PART })
                .collect();
        }
        if targets(TargetPart::Bullet) {
            let bullets = candidates.flat_map(|candidate| {
                let numbered = (1..).zip(&candidate.cited);
                numbered.map(|(bullet, cited)| CandidatePart {
                    bullet: Some(bullet),
                    cited: Some(cited),
                    ..part(candidate)
                })
            });
            return bullets.collect();
        }
        if targets(TargetPart::Candidate) { candidates.map(part).collect() } else { vec![NO_PART] }
    }

    /// The pairs of a query's candidates, each in the order of the texts: it is the same in every file and says nothing of the
    /// systems. Two candidates with one text are no pair.
    fn pairs(&self, query: QueryId) -> Vec<[CandidateId; 2]> {
        let offered = self.candidates.get(&query).into_iter().flatten();
        let mut candidates: Vec<(CandidateId, ComparedText)> =
            offered.filter_map(|offer| Some((offer.id, offer.compared?))).collect();
        candidates.sort_by_key(|(_, compared)| compared.text);
        let neighbours = self.protocol.pairs == PairsMade::Neighbours;
        if neighbours {
            candidates.retain(|(_, compared)| compared.rank.is_some());
            let rank = |of: &(CandidateId, ComparedText)| of.1.rank.unwrap_or_default();
            candidates.sort_by(|one, other| rank(one).total_cmp(&rank(other)));
        }
        let mut pairs = Vec::new();
        for (at, one) in candidates.iter().enumerate() {
            let others = candidates.iter().skip(at + 1).take(if neighbours { 1 } else { usize::MAX });
            let others = others.filter(|other| other.1.text != one.1.text);
            pairs.extend(
                others.map(|other| if one.1.text < other.1.text { [*one, *other] } else { [*other, *one] }),
            );
        }
        if let PairsMade::Drawn(count) = self.protocol.pairs {
            // The draw is by text: keys differ where a hub gives aliases.
            pairs.sort_by_cached_key(|pair| fingerprint(pair.map(|(_, compared)| compared.text.to_string())));
            pairs.truncate(count as usize);
        }
        pairs.into_iter().map(|pair| pair.map(|(id, _)| id)).collect()
    }

    /// The units of a query. A unit that was taken from a candidate is judged with no other candidate.
    fn units(&self, query: QueryId, candidate: Option<CandidateId>) -> Vec<Option<UnitOffer>> {
        if !self.protocol.targets(TargetPart::Unit) {
            return vec![None];
        }
        let fits =
            |unit: &&UnitOffer| candidate.is_none() || unit.candidate.is_none_or(|id| Some(id) == candidate);
        self.units.get(&query).into_iter().flatten().filter(fits).map(|unit| Some(*unit)).collect()
    }

    /// The documents that a target is judged with, by the protocol's [`Pairing`]. Where the documents of the unit are not known,
    /// there are none, and the screen shows all.
    fn documents(
        &self,
        collection: CollectionId,
        target: &Target,
        unit: Option<UnitOffer>,
        cited: Option<&BTreeSet<u32>>,
    ) -> Vec<Option<DocumentId>> {
        let all = self.documents.get(&collection).map_or(&[][..], Vec::as_slice);
        let documents: Vec<DocumentId> = match (self.protocol.documents, unit, cited) {
            (Pairing::All, ..) => all.to_vec(),
            (Pairing::Ranked, ..) => {
                let first = self.ranked.get(&target.query).map_or(&[][..], Vec::as_slice);
                all.iter().copied().filter(|document| first.contains(document)).collect()
            }
            (Pairing::Cited, _, Some(cited)) => cited
                .iter()
                .filter_map(|number| self.keys.numbers.get(&(collection, *number)).copied())
                // A withdrawn document keeps its number.
                .filter(|document| all.contains(document))
                .collect(),
            (_, Some(unit), _) if !unit.gold_known => return vec![None],
            (pairing, Some(unit), _) => {
                let gold = self.gold.get(&unit.id).map_or(&[][..], Vec::as_slice);
                let others =
                    if pairing == Pairing::Sampled { self.sample(target, all, gold) } else { Vec::new() };
                gold.iter().copied().chain(others).collect()
            }
            _ => all.to_vec(),
        };
        documents.into_iter().map(Some).collect()
    }

    /// As many other documents as gold ones, at least one, drawn by the keys: everyone who opens the same
    /// study gets the same ones. Documents that come in later may be drawn too.
    fn sample(&self, target: &Target, all: &[DocumentId], gold: &[DocumentId]) -> Vec<DocumentId> {
        let mut others: Vec<DocumentId> = all.iter().copied().filter(|id| !gold.contains(id)).collect();
        let draw = |document: &DocumentId| {
            let pair = Target { document: Some(*document), ..*target };
            self.keys.of_target(&pair).item_key("a sample of the pairs outside the gold map")
        };
        others.sort_by_cached_key(draw);
        others.truncate(gold.len().max(1));
        others
    }
}

/// The documents among the first [`Pairing::RANKED`] in the list of any retriever, by query.
fn ranked(connection: &Connection) -> Tried<Vec<(QueryId, DocumentId)>> {
    let select = "SELECT r.query, q.collection, r.documents FROM ranking r JOIN query q ON q.id = r.query ORDER BY r.id";
    let lists: Vec<(QueryId, CollectionId, String)> = all(connection, select, [])?;
    let mut found = Vec::new();
    for (query, collection, documents) in lists {
        let places: Vec<RankedDocument> = serde_json::from_str(&documents).map_err(|error| {
            Error::damaged(format!("a retriever's list for query {} cannot be read: {error}", query.0))
                .advise("`haymark check` says what is wrong with the study, and how to save the rest")
        })?;
        for place in places.iter().take(Pairing::RANKED) {
            let find = "SELECT id FROM document WHERE collection = ?1 AND key = ?2";
            let id = first(connection, find, params![collection.0, place.document])?;
            found.extend(id.map(|id: i64| (query, DocumentId(id))));
        }
    }
    Ok(found)
}

/// The document numbers that each bullet of a candidate cites.
fn cited(text: &str) -> Vec<BTreeSet<u32>> {
    let numbers =
        |bullet: &str| citations(bullet).into_iter().flat_map(|citation| citation.numbers).collect();
    bullets(text).iter().map(|span| numbers(span.slice(text))).collect()
}

/// The error that names what the study lacks for a protocol that finds nothing to judge.
pub(super) fn nothing_to_judge(connection: &Connection, protocol: &Protocol) -> Tried<Error> {
    Ok(lack(connection, protocol)?.unwrap_or_else(|| incomplete(protocol)))
}

fn incomplete(protocol: &Protocol) -> Error {
    let what = format!("no query of the study has everything that {:?} judges", protocol.name);
    Error::new(what).advise("see that candidates, units and their documents belong to the same queries")
}

/// The error that names what a study without an item of the protocol lacks, where that is known without a look at each query.
pub(super) fn lack(connection: &Connection, protocol: &Protocol) -> Tried<Option<Error>> {
    let wanted = [
        (true, "query", "queries"),
        (protocol.is_about_candidates() || protocol.targets(TargetPart::Pair), "candidate", "candidates"),
        (protocol.targets(TargetPart::Unit), "unit", "content units"),
        (
            protocol.targets(TargetPart::Document) && !protocol.targets(TargetPart::Unit),
            "document",
            "documents",
        ),
        (protocol.documents == Pairing::Ranked, "ranking", "`ranking` records"),
    ];
    for (needed, table, words) in wanted {
        if needed && !exists(connection, &format!("SELECT 1 FROM {table}"), [])? {
            let what =
                format!("the study has no {words}, so there is nothing to judge under {:?}", protocol.name);
            return Ok(Some(Error::new(what).advise(format!("import some {words} first"))));
        }
    }
    if protocol.targets(TargetPart::Unit) && !protocol.units.is_empty() {
        let kinds: Vec<String> = all(connection, "SELECT DISTINCT kind FROM unit ORDER BY kind", [])?;
        if !kinds.iter().any(|kind| protocol.takes_unit(kind)) {
            let what = format!(
                "{:?} judges units of the kind {}, and the study has {} only",
                protocol.name,
                protocol.units.join(" or "),
                kinds.join(" and ")
            );
            return Ok(Some(Error::new(what).advise("take another protocol, or import such units")));
        }
    }
    let pair = "SELECT 1 FROM candidate GROUP BY query HAVING count(*) > 1";
    let is_without_pair = protocol.targets(TargetPart::Pair) && !exists(connection, pair, [])?;
    Ok(is_without_pair.then(|| incomplete(protocol)))
}

/// Puts items in an annotator's order.
///
/// The order of groups is drawn from the annotator's name and always the same; within a
/// group the order of the corpus stays. Groups of documents or units of one query stay together, and so
/// do the bullets of one candidate.
pub(crate) fn arrange<Id>(
    items: &mut [(Target, Id)],
    keys: &StudyKeys,
    annotator: &str,
    protocol: &Protocol,
) {
    let groups = drawn_groups(items.iter().map(|(target, _)| target), keys, annotator, protocol);
    let places: FastMap<Target, usize> = groups.into_iter().map(|(group, _)| group).zip(0..).collect();
    // Systems may stand in one order under every query, so pairs are drawn: their order must not tell which system is which.
    let seed = seed(annotator, protocol);
    let drawn = |target: &Target| target.other.map(|_| keys.of_target(target).item_key(&seed));
    items.sort_by_cached_key(|(target, _)| {
        (places.get(&group_of(target, protocol.group)).copied(), drawn(target), *target)
    });
}

/// The key of an item under a name that no protocol has is as good as random.
fn seed(annotator: &str, protocol: &Protocol) -> String {
    format!("the order of {annotator} under {}", protocol.name)
}

/// Keeps the groups that come first, as many as have at least `least` targets; returns how many groups there were.
pub(super) fn keep_first(
    targets: &mut Vec<Target>,
    keys: &StudyKeys,
    annotator: &str,
    protocol: &Protocol,
    least: usize,
) -> usize {
    let groups = drawn_groups(targets.iter(), keys, annotator, protocol);
    let mut count = 0;
    let is_first = |(_, size): &(Target, usize)| {
        count += size;
        count - size < least
    };
    let first: FastMap<Target, usize> = groups.iter().copied().take_while(is_first).collect();
    let mut last = (None, false);
    targets.retain(|target| {
        let group = group_of(target, protocol.group);
        if last.0 != Some(group) {
            last = (Some(group), first.contains_key(&group));
        }
        last.1
    });
    groups.len()
}

/// The groups of targets in the order that is drawn from the annotator's name, each with the number of its targets.
fn drawn_groups<'t>(
    targets: impl Iterator<Item = &'t Target>,
    keys: &StudyKeys,
    annotator: &str,
    protocol: &Protocol,
) -> Vec<(Target, usize)> {
    let seed = seed(annotator, protocol);
    // The larger group of many is one, and may be the group itself.
    let mut draws: FastMap<Target, ItemKey> = FastMap::default();
    let mut draw = |part: Target| *draws.entry(part).or_insert_with(|| keys.of_target(&part).item_key(&seed));
    // Most targets follow one of their group, so runs are looked up and not targets.
    let mut runs: Vec<(Target, usize)> = Vec::new();
    for target in targets {
        let group = group_of(target, protocol.group);
        match runs.last_mut() {
            Some((of, size)) if *of == group => *size += 1,
            _ => runs.push((group, 1)),
        }
    }
    let mut sizes: FastMap<Target, usize> = FastMap::default();
    for (group, size) in runs {
        *sizes.entry(group).or_default() += size;
    }
    let drawn =
        |(group, size): (Target, usize)| ((draw(around(&group, protocol.group)), draw(group)), (group, size));
    let mut groups: Vec<((ItemKey, ItemKey), (Target, usize))> = sizes.into_iter().map(drawn).collect();
    groups.sort_unstable();
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The group that a target belongs to: the target without its other parts.
pub(crate) fn group_of(target: &Target, by: TargetPart) -> Target {
    let query = Target::of_query(target.query);
    match by {
        TargetPart::Query => query,
        TargetPart::Document => Target { document: target.document, ..query },
        TargetPart::Unit => Target { unit: target.unit, ..query },
        TargetPart::Candidate => Target { candidate: target.candidate, ..query },
        TargetPart::Bullet => Target { candidate: target.candidate, bullet: target.bullet, ..query },
        TargetPart::Pair => Target { candidate: target.candidate, other: target.other, ..query },
    }
}

/// The larger group that keeps groups together.
fn around(group: &Target, by: TargetPart) -> Target {
    match by {
        TargetPart::Query | TargetPart::Candidate => *group,
        TargetPart::Document | TargetPart::Unit | TargetPart::Pair => group_of(group, TargetPart::Query),
        TargetPart::Bullet => group_of(group, TargetPart::Candidate),
    }
}
