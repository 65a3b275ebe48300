//! Actions: everything that a key can do, each with its name, its help and its section. Bindings stand in
//! `assets/keymap.toml`; the help overlay, the bottom bar, `haymark keys` and the table in docs/judging.md are made from both.

macro_rules! actions {
    ($($variant:ident $name:literal $group:ident $brief:literal $help:literal,)*) => {
        named! {
            /// An action: the effect of a key, by its name in the keymap file. All stand in the order of the help.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum Action { $($variant = $name,)* }
        }

        impl Action {
            /// The section of the help that lists the action.
            pub fn group(self) -> HelpSection {
                match self { $(Action::$variant => HelpSection::$group),* }
            }

            /// One or two words for the bottom bar.
            pub fn brief(self) -> &'static str {
                match self { $(Action::$variant => $brief),* }
            }

            /// One line for the help.
            pub fn help(self) -> &'static str {
                match self { $(Action::$variant => $help),* }
            }
        }
    };
}

named! {
    /// Sections of the help.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum HelpSection {
        Judging = "Judging",
        Moving = "Moving",
        Reading = "Reading",
        Selecting = "Selecting a passage",
        Session = "Session",
        Writing = "Writing in a session",
        Replay = "Playing a session",
        Browsing = "Browsing",
        /// Keys of the adjudicate screen.
        Settling = "Settling a disagreement",
        Program = "Program",
    }
}

/// The place where a key is pressed. The same key may do different things in different places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Context {
    Boards,
    /// While a passage is selected.
    Selection,
    /// Anywhere in a session; letters count only while no text is being written.
    Session,
    /// In the summary of a session.
    Writing,
    /// While a session is played.
    Replay,
    /// In the tables of browse, and on the screens opened from them.
    Browse,
    /// While a disagreement is settled; keys of the boards work as well.
    Settling,
}

impl HelpSection {
    /// The sections of the annotate screen, in the order of its help.
    pub const ANNOTATE: &[HelpSection] = &[
        HelpSection::Judging,
        HelpSection::Moving,
        HelpSection::Reading,
        HelpSection::Selecting,
        HelpSection::Program,
    ];
}

actions! {
    Undo "undo" Judging "undo" "take the last step back, also over items",
    Redo "redo" Judging "redo" "do again what was undone",
    Skip "skip" Judging "skip" "put the item aside, or take it back",
    GiveBack "give-back" Judging "give back" "give the item back for good, for another; say why",
    Flag "flag" Judging "flag" "mark the item for a second look, or unmark it",
    Comment "comment" Judging "comment" "write a comment on the item",
    Guideline "guideline" Judging "guideline" "show the guideline; beside the item where there is room",
    ItemClock "item-clock" Judging "clock" "show or hide the time on the item; it is recorded",
    Confirm "confirm" Judging "confirm" "give the same answers again where they are stale",
    Changes "changes" Judging "revised" "show what was revised since the answers were given",
    RestNone "rest-none" Judging "the rest" "the lowest answer to all untouched ones here; asks first",
    AutoAdvance "auto-advance" Judging "advance" "go on by itself after the last answer, or stay",
    NextOpen "next-open" Moving "next" "next item that is not judged",
    Next "next" Moving "item" "next item, judged or not",
    Back "back" Moving "back" "item before",
    PreviousOpen "previous-open" Moving "to do" "item before that is not judged",
    NextFlagged "next-flagged" Moving "flagged" "next flagged item",
    Jump "jump" Moving "number" "go to an item by its number",
    GoTo "go-to" Moving "go to" "find an item by words of its query or unit",
    History "history" Moving "answers" "the answers given last; enter goes to their item",
    ScrollDown "scroll-down" Reading "" "scroll the focused pane down a line",
    ScrollUp "scroll-up" Reading "" "scroll the focused pane up a line",
    PageDown "page-down" Reading "" "scroll the focused pane down a page",
    PageUp "page-up" Reading "" "scroll the focused pane up a page",
    Top "top" Reading "" "to the beginning of the focused pane",
    Bottom "bottom" Reading "" "to the end of the focused pane",
    NextPane "next-pane" Reading "pane" "focus the next pane, or show the next tab",
    PreviousPane "previous-pane" Reading "pane" "focus the pane before",
    FoldCitations "fold-citations" Reading "fold" "fold long rows of citations in the summary, or show them",
    Zoom "zoom" Reading "zoom" "give the focused pane the whole screen, or not",
    NextDocument "next-document" Reading "document" "next document",
    PreviousDocument "previous-document" Reading "document" "document before",
    OpenDocument "open-document" Reading "open" "open a document by its number, such as a cited one",
    NextMark "next-mark" Reading "passage" "next search hit, or next highlighted evidence",
    PreviousMark "previous-mark" Reading "passage" "search hit or evidence before",
    Search "search" Reading "find" "find words in the documents of the collection",
    NextCitation "next-citation" Reading "cited" "open the document that the summary cites next",
    PreviousCitation "previous-citation" Reading "cited" "open the document cited before",
    DifferentWords "different-words" Reading "words" "show which words of the two summaries differ, or not",
    JudgmentUp "judgment-up" Reading "answers" "scroll the answers up a line, where there are many",
    JudgmentDown "judgment-down" Reading "answers" "scroll the answers down a line",
    LikelyBullet "likely-bullet" Reading "likely" "mark the most similar bullet, or not; it is recorded",
    Return "return" Reading "return" "back to where the last document was opened from",
    SelectTake "select-take" Selecting "take it" "take the selected passage",
    SelectNext "select-next" Selecting "sentence" "next sentence",
    SelectPrevious "select-previous" Selecting "sentence" "sentence before",
    SelectLonger "select-longer" Selecting "longer" "a word longer",
    SelectShorter "select-shorter" Selecting "shorter" "a word shorter",
    SelectMore "select-more" Selecting "more" "a sentence longer",
    SelectEarlier "select-earlier" Selecting "earlier" "begin a word earlier",
    SelectLater "select-later" Selecting "later" "begin a word later",
    SelectLikely "select-likely" Selecting "likely" "next likely passage, or next search hit",
    SelectPageDown "select-page-down" Selecting "page" "a page down",
    SelectPageUp "select-page-up" Selecting "page" "a page up",
    SelectNextDocument "select-next-document" Selecting "document" "next document",
    SelectPreviousDocument "select-previous-document" Selecting "document" "document before",
    SelectAdd "select-add" Selecting "add" "take it beside the passages that are there",
    SelectOther "select-other" Selecting "other" "go on to the next passage that is there",
    SelectRemove "select-remove" Selecting "remove" "take away the passage that is there",
    Cite "cite" Session "cite" "cite the document in view at the bullet's end",
    DocumentList "document-list" Session "documents" "to the list of documents, and filter it",
    Pause "pause" Session "pause" "stop the clock and hide the documents, or go on",
    Finish "finish" Session "finish" "end the session; asks before it does",
    WriteLeft "write-left" Writing "" "a character back",
    WriteRight "write-right" Writing "" "a character on",
    WriteUp "write-up" Writing "" "a row up",
    WriteDown "write-down" Writing "" "a row down",
    WriteWordLeft "write-word-left" Writing "word" "a word back",
    WriteWordRight "write-word-right" Writing "word" "a word on",
    WriteRowStart "write-row-start" Writing "" "to the beginning of the row",
    WriteRowEnd "write-row-end" Writing "" "to the end of the row",
    WriteBulletUp "write-bullet-up" Writing "bullet" "to the bullet above",
    WriteBulletDown "write-bullet-down" Writing "bullet" "to the bullet below",
    WriteStart "write-start" Writing "" "to the beginning of the summary",
    WriteEnd "write-end" Writing "" "to the end of the summary",
    WriteBreak "write-break" Writing "bullet" "begin a new bullet",
    WriteDelete "write-delete" Writing "" "delete the character before",
    WriteDeleteNext "write-delete-next" Writing "" "delete the character after",
    WriteDeleteWord "write-delete-word" Writing "" "delete the word before",
    WriteDeleteNextWord "write-delete-next-word" Writing "" "delete the word after",
    WriteDeleteRest "write-delete-rest" Writing "" "delete to the end of the bullet",
    WritePutBack "write-put-back" Writing "put back" "put back, here, the words that were deleted last",
    WriteMoveUp "write-move-up" Writing "move" "move the bullet up",
    WriteMoveDown "write-move-down" Writing "move" "move the bullet down",
    WriteUndo "write-undo" Writing "undo" "take the last change back",
    WriteRedo "write-redo" Writing "redo" "do again what was undone",
    WriteFind "write-find" Writing "find" "find words in the summary",
    WriteNextHit "write-next-hit" Writing "hit" "next hit in the summary",
    WritePreviousHit "write-previous-hit" Writing "hit" "hit before in the summary",
    WriteOpenCited "write-open-cited" Writing "open" "open the document that is cited at the cursor",
    BesideDown "beside-down" Writing "" "scroll the document beside down a line",
    BesideUp "beside-up" Writing "" "scroll the document beside up a line",
    BesideNext "beside-next" Writing "document" "next document, beside the summary",
    BesidePrevious "beside-previous" Writing "document" "document before, beside the summary",
    ReplayPause "replay-pause" Replay "pause" "stop and go on; at the end, play it again",
    ReplayBack "replay-back" Replay "" "a minute back",
    ReplayForward "replay-forward" Replay "minute" "a minute forward",
    ReplayPrevious "replay-previous" Replay "" "to the snapshot before",
    ReplayNext "replay-next" Replay "snapshot" "to the next snapshot",
    ReplaySlower "replay-slower" Replay "" "half as fast",
    ReplayFaster "replay-faster" Replay "speed" "twice as fast",
    ReplayStart "replay-start" Replay "start" "to the beginning",
    ReplayEnd "replay-end" Replay "end" "to the end",
    TableQueries "table-queries" Browsing "queries" "the table of queries",
    TableUnits "table-units" Browsing "units" "the table of units, such as insights",
    TableCandidates "table-candidates" Browsing "candidates" "the table of candidates",
    TableSystems "table-systems" Browsing "systems" "the table of systems",
    TableItems "table-items" Browsing "items" "the table of judged items",
    TableDocuments "table-documents" Browsing "documents" "the table of documents",
    OpenRow "open-row" Browsing "open" "open what belongs to the row, or is behind the number",
    LeaveRow "leave-row" Browsing "back" "back to where this was opened from",
    ColumnLeft "column-left" Browsing "column" "one column to the left",
    ColumnRight "column-right" Browsing "column" "one column to the right",
    SortColumn "sort-column" Browsing "sort" "sort by the column of the cursor, or turn it around",
    SortBy "sort-by" Browsing "sort by" "choose from a list what to sort by",
    Columns "columns" Browsing "columns" "choose columns and their order",
    Views "views" Browsing "views" "saved views: save, open, delete",
    Whose "whose" Browsing "whose" "choose whose judgments count, or the question",
    Tag "tag" Browsing "tag" "tag what is wrong with the summary",
    MarkRow "mark-row" Browsing "compare" "mark it; the second one is compared with the first",
    ChooseRow "choose-row" Browsing "mark" "mark it, to be tagged together with others",
    NextQuery "next-query" Browsing "next" "the next query, or the next row of the table behind",
    PreviousQuery "previous-query" Browsing "before" "the query or the row before",
    Difference "difference" Browsing "words" "show which words differ, or not",
    PositionLength "position-length" Browsing "position" "scores by document order, length, domain, category",
    TagCounts "tag-counts" Browsing "tags" "counts of tags by system",
    SettleItems "settle-items" Browsing "settle" "settle the items of the table on which people differ",
    Agreement "agreement" Browsing "agreement" "how far each pair of annotators agrees",
    BecauseSlip "because-slip" Settling "slip" "why: a slip",
    BecauseUnclear "because-unclear" Settling "unclear" "why: the guideline is unclear",
    BecauseAmbiguous "because-ambiguous" Settling "ambiguous" "why: the item is ambiguous",
    BecauseOverlooked "because-overlooked" Settling "overlooked" "why: evidence was overlooked",
    BecauseOther "because-other" Settling "other" "why: another reason, to be written down",
    Example "example" Settling "example" "make it an example in the guideline, or no longer",
    MovedScores "moved-scores" Settling "scores" "once decided, show what each answer gives the scores",
    MoreOpinions "more-opinions" Settling "more" "show further annotators, where not all fit",
    Copy "copy" Program "copy" "copy the text of the focused pane to the clipboard",
    Theme "theme" Program "theme" "next colours: dark, light, high contrast, auto",
    Measure "measure" Program "measure" "longer rows of text; from the longest on to the shortest",
    Help "help" Program "help" "show this help",
    Tour "tour" Program "tour" "lead through an item, step by step",
    Redraw "redraw" Program "redraw" "draw the whole screen anew",
    Suspend "suspend" Program "suspend" "back to the shell; fg returns here",
    Quit "quit" Program "quit" "leave; everything is already saved",
}

impl Action {
    /// The context in which the action's keys are pressed.
    pub fn context(self) -> Context {
        match self.group() {
            HelpSection::Selecting => Context::Selection,
            HelpSection::Session => Context::Session,
            HelpSection::Writing => Context::Writing,
            HelpSection::Replay => Context::Replay,
            HelpSection::Browsing => Context::Browse,
            HelpSection::Settling => Context::Settling,
            _ => Context::Boards,
        }
    }

    /// The rows by which a scrolling action moves the focused pane, whose page has `page` rows; `None` for other actions.
    pub fn rows(self, page: isize) -> Option<isize> {
        match self {
            Action::ScrollDown => Some(1),
            Action::ScrollUp => Some(-1),
            Action::PageDown => Some(page),
            Action::PageUp => Some(-page),
            Action::Top => Some(isize::MIN),
            Action::Bottom => Some(isize::MAX),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_fits_a_narrow_screen() {
        for action in Action::ALL {
            assert!(action.help().len() <= 56, "{}: {}", action.name(), action.help());
            assert_eq!(Action::named(action.name()), Some(action));
        }
    }
}
