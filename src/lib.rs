//! haymark: judge retrieval-augmented summaries in the terminal, and measure how far annotators agree.
//!
//! Programs that use the crate begin with these: [`store::StudyFile`] opens a study, [`report::agree`] and
//! [`report::score`] say what its judgments mean, and [`agreement`] has the coefficients for ratings of any kind. `examples/` holds
//! programs that run.
//!
//! ```
//! use haymark::report::frame::StudyPart;
//! use haymark::report::{agree, score};
//! use haymark::store::StudyFile;
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("study.db");
//! # StudyFile::create_with(&path, |study| {
//! #     for name in ["haystack", "haystack_judgments"] {
//! #         let text = std::fs::read(format!("sample_data/{name}.jsonl")).expect("the sample data");
//! #         let content = haymark::text::hash::fingerprint([name]);
//! #         study.import(name, content, Default::default(), 0, |sink| haymark::formats::jsonl::read(&text[..], sink))?;
//! #     }
//! #     Ok(())
//! # })?;
//! let study = StudyFile::open(&path)?;
//!
//! for question in agree::summaries(&study, &agree::AgreementAsked::default())? {
//!     println!("{}: {} items, by {}", question.subject, question.items, question.annotators.join(" and "));
//!     for number in &question.numbers {
//!         if let (Ok(value), Some(Ok(interval))) = (number.estimate.value, number.estimate.interval) {
//!             println!("  {}: {value:.3} ({:.3} to {:.3})", number.title, interval.low, interval.high);
//!         }
//!     }
//! }
//!
//! let part = StudyPart { protocol: Some("coverage".to_owned()), ..Default::default() };
//! let asked = score::ScoresAsked { part, ..Default::default() };
//! let tables = score::scores(&study, &asked)?;
//! assert_eq!(tables[0].key, "scores");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The map
//!
//! A **study** holds what is judged, a **protocol** says how, and what people do becomes **events**
//! in an append-only **journal**; current answers, progress and times are folds over it. The
//! **app** is `update(input, desk)` and knows the study through its desk alone, the **view** is a function of the app,
//! **term** alone touches the terminal, the clock and threads, and makes the desks; **store** alone knows SQLite.
//! **score** and the library [`agreement`] are arithmetic, **report** says in tables what they find in a study,
//! **figure** draws what these tables say, **export** writes all that leaves the program. **cli** ties them together.
//!
//! Where does a line belong? Ask in this order. Is it a grapheme, its width, or what is shown for it? `graphemes`,
//! in `crates/`. Is it about characters, not meaning? [`text`]. Is it about files as a
//! whole, whatever is in them? [`files`]. Does it differ from one operating system to another? `system`.
//! A record of what is judged, as haymark itself has it? [`study`]. Does it define a question or refuse an answer?
//! [`protocol`]. Did a person do it, and must it survive a kill? [`journal`]. Does it talk to the server
//! that a team shares? [`hub`]. Does it ask the study file something, or say how
//! bytes lie in it? [`store`]. Does it know someone else's format?
//! [`formats`]. Is it a number about raters? [`agreement`], in `crates/`. About systems?
//! [`score`]. Does it look through a whole study? [`browse`].
//! Is it a column, a note, which judgments count, or who is to judge what? [`report`]. Is it what a figure shows, and of which
//! table? [`figure`]. Is it a dot, an axis, or ink on paper? `paper`, in `crates/`.
//! Is it in a file or a table that the program hands out? [`export`].
//! Does it change because of a key? [`app`]. Does it decide what a cell looks like? [`view`]. Does it need the terminal, the clock, a
//! thread? [`term`]. Is it the bytes that a screen costs? `emitter`, in `crates/`. Is it an argument or standard
//! output? [`cli`]. What went wrong is an [`error`] wherever it happens,
//! a number that becomes one of another type does so in `number`, words of enumerations are declared by `named`, and how far long
//! work is stands in `progress`.
//!
//! Each module uses those above it in the list below and no others; `tests/all/architecture.rs` holds
//! the exact table. The libraries in `crates/` know nothing of haymark.
//!
//! # What is public
//!
//! What these pages list is there to be used by other programs. [`files`], [`hub`], [`export`], [`app`], [`view`], [`term`] and [`cli`] are public
//! for the program itself, its tests and its benches alone; they are in no page, and change without notice.
//!
//! # What always holds
//!
//! 1. No I/O and no clock outside [`term`], [`store`], [`hub`], [`files`], the readers of [`formats`], [`export`] and [`cli`].
//!    Messages carry their own time, so tests never sleep.
//! 2. Drawing the same app twice gives the same cells.
//! 3. The app rebuilt from journal and position equals the live one.
//! 4. Events are never changed or deleted (triggers in the file abort it); undo appends a retraction.
//! 5. "saved" is shown after the commit only. What could not be written stays queued, nothing goes
//!    on, and the screen says why.
//! 6. Every span is a byte range on grapheme boundaries and is made by [`text`].
//! 7. Texts are never normalised, trimmed or re-encoded on the way in: offsets keep their meaning.
//! 8. A key belongs to the item that was on the screen when it was pressed.
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::string_slice, clippy::print_stdout, clippy::print_stderr)
)]

/// The coefficients, as a library of their own in `crates/agreement`.
pub use ::agreement;

#[macro_use]
mod named;
pub mod error;
mod number;
mod progress;
pub mod text;
mod system;
#[doc(hidden)]
pub mod files;
pub mod study;
pub mod protocol;
pub mod journal;
#[doc(hidden)]
pub mod hub;
pub mod store;
pub mod formats;
pub mod score;
pub mod browse;
pub mod report;
pub mod figure;
#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod app;
#[doc(hidden)]
pub mod view;
#[doc(hidden)]
pub mod term;
#[doc(hidden)]
pub mod cli;
