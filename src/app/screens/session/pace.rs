//! The pace of typing. Text that was pasted without its brackets comes as a burst of keys.

/// Milliseconds between two characters of a burst, at most. A held key repeats every 20 to 40, a very quick
/// typist needs 50.
const BETWEEN: i64 = 15;

/// So many characters in a run make a burst: more than an input method hands over at once.
const BURST: usize = 24;

/// The run of characters that came at the pace of a burst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TypingPace {
    run: usize,
    last: i64,
}

impl TypingPace {
    /// Counts a character; returns whether the run has become a burst with it.
    pub fn typed(&mut self, monotonic: i64) -> bool {
        self.run += 1;
        self.last = monotonic;
        self.run == BURST
    }

    /// The number of characters of a burst that is over by now, told once. Ask before each character.
    pub fn over(&mut self, monotonic: i64) -> Option<usize> {
        if monotonic.saturating_sub(self.last) <= BETWEEN {
            return None;
        }
        self.end()
    }

    /// Ends the run, whenever its last character came.
    pub fn end(&mut self) -> Option<usize> {
        let run = std::mem::take(&mut self.run);
        (run >= BURST).then_some(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bursts in characters that come so many milliseconds apart.
    fn bursts(gaps: impl IntoIterator<Item = i64>) -> Vec<usize> {
        let mut pace = TypingPace::default();
        let mut now = 1_000;
        let mut found = Vec::new();
        for gap in gaps {
            now += gap;
            found.extend(pace.over(now));
            pace.typed(now);
        }
        found.extend(pace.over(now + 1_000));
        found
    }

    #[test]
    fn only_a_burst_is_one() {
        assert_eq!(bursts(vec![50; 500]), [] as [usize; 0], "a quick typist");
        assert_eq!(bursts(vec![20; 500]), [] as [usize; 0], "a held key");
        assert_eq!(
            bursts([vec![0; 23], vec![300], vec![0; 10]].concat()),
            [] as [usize; 0],
            "an input method"
        );
        assert_eq!(bursts(vec![0; 24]), [24]);
        assert_eq!(bursts([vec![1; 400], vec![90; 9], vec![15; 30]].concat()), [400, 31]);
    }
}
