//! `haymark keys`: the keys of all screens, from the same tables as their help.

use clap::Args;

use super::print;
use crate::app::kit::{Action, HelpSection, Keymap};

#[derive(Debug, Args)]
pub struct Keys {
    /// Print the built-in keymap file, to be copied and changed
    #[arg(long)]
    pub file: bool,
}

/// Width of the column of keys.
const KEYS: usize = 24;

pub fn run(arguments: &Keys) -> crate::error::Result<()> {
    if arguments.file {
        return print(crate::app::kit::keymap::BUILT_IN);
    }
    print(&listed(&Keymap::default()))
}

fn listed(keymap: &Keymap) -> String {
    let mut text = String::new();
    for group in HelpSection::ALL {
        text.push_str(&format!("{}\n", group.name()));
        for action in Action::ALL.iter().filter(|action| action.group() == group) {
            let keys: Vec<String> = keymap.keys(*action).iter().map(ToString::to_string).collect();
            text.push_str(&format!("  {:<KEYS$} {:<24} {}\n", keys.join(" "), action.name(), action.help()));
        }
        text.push('\n');
    }
    text.push_str(
        "The letters that answer come from the protocol; digits name bullets, units and points, 0 none.\n",
    );
    text.push_str(
        "Keys of your own: copy `haymark keys --file` to keymap.toml in haymark's configuration folder,\n",
    );
    text.push_str("keep the lines that you change, or name a file with --keymap.\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_is_listed_once() {
        let text = listed(&Keymap::default());
        for action in Action::ALL {
            assert_eq!(text.matches(&format!(" {:<24} ", action.name())).count(), 1, "{}", action.name());
        }
    }
}
