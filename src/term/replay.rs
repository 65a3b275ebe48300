//! The replay of a session in the terminal.

use super::looks::Looks;
use super::run::{Clocks, run};
use crate::app::screens::replay::ReplayScreen;
use crate::error::Result;
use crate::view::screens::replay::draw_replay;

/// Plays a session until the person leaves.
pub fn play(replay: ReplayScreen, looks: &Looks) -> Result<()> {
    run(replay, looks, Clocks::start(), None, draw_replay, &mut ())?;
    Ok(())
}
