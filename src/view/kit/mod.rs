//! Drawing of the parts that all screens share.

pub mod bars;
pub(super) mod page;
pub(super) mod paint;
pub mod picture;
pub mod theme;
pub(super) mod title;

pub(crate) use bars::days_work;
pub(super) use bars::{
    Hint, STILL, bottom_line, clock, duration, eighths, fixed, hint_line, hints_of, pace, progress,
    reading_help, sharing, shortened, state_sign,
};
pub(super) use page::{
    action_help, all_done, answer_help, editor, group_help, group_help_of, help_line, hits_told, keys_page,
    middle, section_help, short_page, under,
};
pub(super) use paint::{Pen, over};
pub(crate) use picture::svg;
pub(crate) use theme::{Theme, theme_index, themes};
pub(super) use title::{before_position, divider, pane_label, pane_title};
