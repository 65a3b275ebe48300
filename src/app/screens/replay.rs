//! The screen on which the writing of a session is played: a text, a time, a speed.

use crate::app::kit::{Action, Context, Effect, Frame, Input, Key, Moment, Screen};
use crate::journal::session::{Delta, MINUTE, SessionEvent, SessionHappening};

/// The slowest and the fastest speed: active time per time that passes.
const SPEEDS: (f64, f64) = (0.25, 4096.0);

/// A session that is played.
#[derive(Debug, Clone)]
pub struct ReplayScreen {
    /// Study, annotator, for the top line.
    pub title: String,
    /// The text of the query.
    pub query: String,
    /// Edits with their active milliseconds, in order.
    edits: Vec<(i64, Delta)>,
    /// Active milliseconds of the snapshots, ascending.
    pub snapshots: Vec<i64>,
    /// Active milliseconds of the whole session.
    pub length: i64,
    /// The time that is shown, in active milliseconds.
    at: i64,
    /// Number of edits up to that time.
    applied: usize,
    /// The text at that time.
    text: String,
    /// Byte offset behind the last change.
    caret: usize,
    pub speed: f64,
    pub is_playing: bool,
    last: i64,
    pub frame: Frame,
}

impl Screen for ReplayScreen {
    /// The screen reads and writes nothing: it is given its whole session.
    type Desk<'d> = ();

    fn update(&mut self, input: Input, _desk: &mut ()) {
        match input {
            Input::Resize(columns, rows) => self.frame.size = (columns, rows),
            Input::Tick(now) => self.advance(now),
            Input::Shown(now) if !self.is_playing => self.last = now.monotonic,
            Input::Resumed(now) => self.last = now.monotonic,
            Input::Notice(text) => self.frame.warn(text),
            Input::Key(key, now) | Input::Repeat(key, now) => {
                self.advance(now);
                self.press(key);
            }
            Input::Mouse(..) | Input::Paste(..) | Input::Shown(_) | Input::FocusLost(_) => {}
            Input::Matches { .. } | Input::Changed => {}
        }
    }

    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn frame_mut(&mut self) -> &mut Frame {
        &mut self.frame
    }

    fn is_waiting(&self) -> bool {
        self.is_playing
    }
}

impl ReplayScreen {
    /// A session whose events are given in the order of [`chain`](crate::journal::session::chain), from its beginning.
    pub fn new(title: String, query: String, chain: &[&SessionEvent]) -> ReplayScreen {
        let edit = |event: &&SessionEvent| match &event.happening {
            SessionHappening::Edit(delta) => Some((event.active, delta.clone())),
            _ => None,
        };
        let snapshot = |event: &&SessionEvent| match event.happening {
            SessionHappening::Snapshot { .. } => Some(event.active),
            _ => None,
        };
        let mut snapshots: Vec<i64> = chain.iter().filter_map(snapshot).collect();
        snapshots.sort_unstable();
        snapshots.dedup();
        ReplayScreen {
            title,
            query,
            edits: chain.iter().filter_map(edit).collect(),
            snapshots,
            length: chain.iter().map(|event| event.active).max().unwrap_or(0),
            at: 0,
            applied: 0,
            text: String::new(),
            caret: 0,
            speed: 60.0,
            is_playing: true,
            last: 0,
            frame: Frame::default(),
        }
    }

    /// The text at the time that is shown.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Byte offset behind the last change of the text.
    pub fn caret(&self) -> usize {
        self.caret
    }

    /// The time that is shown, in active milliseconds.
    pub fn at(&self) -> i64 {
        self.at
    }

    /// Goes to a time, in active milliseconds, clamped to the session.
    pub fn seek(&mut self, active: i64) {
        let active = active.clamp(0, self.length);
        if active < self.at {
            self.applied = 0;
            self.text.clear();
            self.caret = 0;
        }
        self.at = active;
        let ahead = self.edits.get(self.applied..).unwrap_or_default();
        for (_, delta) in ahead.iter().take_while(|(time, _)| *time <= active) {
            if delta.apply(&mut self.text) {
                self.caret = delta.start + delta.inserted.len();
            }
            self.applied += 1;
        }
    }

    /// Plays the time between the last moment and this one.
    fn advance(&mut self, now: Moment) {
        let passed = (now.monotonic - self.last).max(0);
        self.last = now.monotonic;
        if self.is_playing {
            // A session is days long at most; nothing is lost but fractions of a millisecond.
            self.seek(self.at.saturating_add((passed as f64 * self.speed) as i64));
            self.is_playing = self.at < self.length;
        }
    }

    fn press(&mut self, key: Key) {
        self.frame.hush();
        let found =
            self.frame.keymap.action_in(Context::Replay, key).or_else(|| self.frame.keymap.action(key));
        if !self.frame.overlays.is_empty() {
            return self.press_in_help(key);
        }
        let Some(action) = found else { return };
        match action {
            Action::ReplayPause if self.at >= self.length => {
                self.seek(0);
                self.is_playing = true;
            }
            Action::ReplayPause => self.is_playing = !self.is_playing,
            Action::ReplayForward => self.seek(self.at + MINUTE),
            Action::ReplayBack => self.seek(self.at - MINUTE),
            Action::ReplayNext => self.seek(self.snapshot_after()),
            Action::ReplayPrevious => self.seek(self.snapshot_before()),
            Action::ReplayFaster => self.speed = (self.speed * 2.0).min(SPEEDS.1),
            Action::ReplaySlower => self.speed = (self.speed / 2.0).max(SPEEDS.0),
            Action::ReplayStart => self.seek(0),
            Action::ReplayEnd => self.seek(self.length),
            Action::Quit => self.frame.want(Effect::Quit),
            // No measure is chosen here.
            Action::Measure => {}
            _ => self.frame.act(action),
        }
    }

    fn press_in_help(&mut self, key: Key) {
        if key.leaves() {
            self.frame.overlays.pop();
        } else {
            self.frame.read_help(key, self.frame.keymap.action(key));
        }
    }

    fn snapshot_after(&self) -> i64 {
        self.snapshots.iter().copied().find(|active| *active > self.at).unwrap_or(self.length)
    }

    fn snapshot_before(&self) -> i64 {
        self.snapshots.iter().rev().copied().find(|active| *active < self.at).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::session::{Session, Setup, chain};
    use crate::journal::{EventId, Writer};

    fn events() -> Vec<SessionEvent> {
        let edit = |before: &str, after: &str| SessionHappening::Edit(Delta::between(before, after).unwrap());
        let happenings = [
            (0, SessionHappening::Opened { after: None, has_judged: false }),
            (MINUTE, edit("", "- Breaks")),
            (5 * MINUTE, edit("- Breaks", "- Long breaks [8]")),
            (10 * MINUTE, SessionHappening::Snapshot { is_last: false }),
            (12 * MINUTE, edit("- Long breaks [8]", "- 长时间休息 [8]")),
            (13 * MINUTE, SessionHappening::Snapshot { is_last: true }),
        ];
        (1..)
            .zip(happenings)
            .map(|(seq, (active, happening))| SessionEvent {
                id: EventId { writer: Writer(1), seq },
                at: active,
                active,
                happening,
            })
            .collect()
    }

    fn replay() -> ReplayScreen {
        let events = events();
        let mut replay = ReplayScreen::new("study".into(), "What?".into(), &chain(&events));
        replay.update(Input::Resumed(at(0)), &mut ());
        replay
    }

    fn at(monotonic: i64) -> Moment {
        Moment { wall: 0, monotonic }
    }

    fn press(replay: &mut ReplayScreen, keys: &str) -> Vec<Effect> {
        let moment = at(replay.last);
        keys.split(' ').for_each(|key| replay.update(Input::Key(key.parse().unwrap(), moment), &mut ()));
        replay.frame.take_effects()
    }

    #[test]
    fn it_plays_at_its_speed_and_ends_in_the_text_of_the_last_snapshot() {
        let mut replay = replay();
        replay.update(Input::Tick(at(1_000)), &mut ());
        // One second at 60 times is a minute.
        assert_eq!((replay.at(), replay.text()), (MINUTE, "- Breaks"));
        press(&mut replay, "+");
        replay.update(Input::Tick(at(3_000)), &mut ());
        assert_eq!((replay.at(), replay.text(), replay.caret()), (5 * MINUTE, "- Long breaks [8]", 17));
        press(&mut replay, "space");
        replay.update(Input::Tick(at(60_000)), &mut ());
        assert_eq!(replay.at(), 5 * MINUTE, "paused");
        press(&mut replay, "space");
        replay.update(Input::Tick(at(160_000)), &mut ());
        let last = Session::of(&Setup::default(), &events()).last_snapshot().unwrap().text.clone();
        assert_eq!((replay.text(), replay.at(), replay.is_playing), (last.as_str(), 13 * MINUTE, false));
        press(&mut replay, "space");
        assert_eq!((replay.text(), replay.is_playing), ("", true), "from the beginning");
    }

    #[test]
    fn it_goes_to_any_time() {
        let mut replay = replay();
        press(&mut replay, "space right right");
        assert_eq!((replay.at(), replay.text()), (2 * MINUTE, "- Breaks"));
        press(&mut replay, "]");
        assert_eq!((replay.at(), replay.text()), (10 * MINUTE, "- Long breaks [8]"));
        press(&mut replay, "]");
        assert_eq!((replay.at(), replay.text()), (13 * MINUTE, "- 长时间休息 [8]"));
        press(&mut replay, "[ left left left left left left");
        assert_eq!((replay.at(), replay.text()), (4 * MINUTE, "- Breaks"));
        press(&mut replay, "[");
        assert_eq!((replay.at(), replay.text()), (0, ""));
        press(&mut replay, "end");
        assert_eq!(replay.at(), replay.length);
        press(&mut replay, "home left");
        assert_eq!(replay.at(), 0);
        press(&mut replay, "- - - - - - - - - -");
        assert_eq!(replay.speed, SPEEDS.0);
    }

    #[test]
    fn help_lies_over_it_and_q_leaves() {
        let mut replay = replay();
        assert_eq!(press(&mut replay, "? down q"), []);
        assert!(replay.frame.overlays.is_empty());
        assert_eq!(press(&mut replay, "ctrl-l q"), [Effect::Redraw, Effect::Quit]);
    }
}
