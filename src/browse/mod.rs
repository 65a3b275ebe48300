//! A whole study as tables that can be filtered, sorted and looked into. No I/O happens here: the caller reads the
//! study and hands its corpus and judgments to [`Tables::new`].
//!
//! 1. A [`BrowseTable`] has rows, by number, and columns ([`Tables::columns`]), whose values are made when first asked
//!    for and kept as numbers and codes, so that a hundred thousand rows are sorted and filtered within a frame.
//! 2. A [`View`] says which columns and rows of a table are shown; [`Tables::rows`] gives the numbers of its rows.
//! 3. [`filter`] is the language by which rows are chosen; [`Tables::complete`] completes it.
//! 4. [`Tables::detail`] has the details of a row, [`Tables::compare`] sets two candidates side by side,
//!    [`Tables::duel`] two systems.
//! 5. A [`Crosstab`] counts the [`FilteredRows`], and has cells that open their rows: [`Tables::pivot`], [`Tables::positions`], [`Tables::failures`],
//!    [`Tables::pairs`], [`Tables::confusion`].

mod answers;
mod asked;
mod bits;
mod column;
mod compare;
mod detail;
mod field;
pub mod filter;
mod gold;
mod grid;
mod groups;
mod labels;
mod make;
mod meta;
mod opening;
mod relations;
mod rules;
mod scored;
mod search;
mod table;
mod tables;
mod view;
mod walk;

#[cfg(test)]
pub(crate) mod tests;

pub use asked::AskedQuestion;
pub use compare::{Aligned, Duel, DuelRow, Side, SideBySide};
pub use detail::{BulletDetail, Detail, DocumentDetail, DocumentRole, JudgmentDetail, Working};
pub use field::{FIELDS, Field, may_be_field, reads_documents, sample_of};
pub use filter::{Completion, Filter, FilterError, LinesFilter, Suggestion};
pub use grid::{ACROSS, Across, Crosstab, CrosstabCell};
pub use groups::{FieldGroup, FieldGroups};
pub use labels::answer_words;
pub use opening::Records;
pub use rules::{RuleScore, ScoreRules, ScoredRow, check_scores, scores_read_documents};
pub use table::{BrowseTable, ColumnHead, ColumnId, ColumnKind, TableValue};
pub use tables::{Tables, WhoCounts};
pub use view::{FilteredRows, Sort, View};

use bits::Bits;
use column::{ColumnValues, Sets, code, pack, set_code, unpack};
use field::{ColumnSource, Feed, LENGTHS, offers};
use filter::{Node, Relation, Test, bounds, exactly, parse, written};
use labels::{NOTHING, is_choice, mean};
use make::{Entity, SummaryLengths, lengths};
use meta::{MetaField, written_number};
use relations::{Bullet, ItemPlace, NONE, Relations, SystemParts, at, from};
use rules::{RowsOf, ScoreColumn, WhoSays};
use scored::{RowScores, ScoredItem, by_item};
use search::{Needle, Searches, WhoComments};
use tables::QuestionPlace;
