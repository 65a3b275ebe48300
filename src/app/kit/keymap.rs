//! The keymap: the built-in one, and a person's overrides.

use std::collections::BTreeMap;

use super::{Action, Context, Key, KeyCode};
use crate::error::{Error, Result};

/// The built-in map, as a file.
pub const BUILT_IN: &str = include_str!("../../../assets/keymap.toml");

/// Keys to actions. Within a context no key stands twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    keys: BTreeMap<(Context, Key), Action>,
    /// Keys of each action in the order of the file; screens show the first.
    shown: BTreeMap<Action, Vec<Key>>,
}

impl Default for Keymap {
    fn default() -> Keymap {
        // The file is part of the program, and a test reads it without a complaint.
        let mut map = Keymap { keys: BTreeMap::new(), shown: BTreeMap::new() };
        map.override_with(BUILT_IN, &|_| None);
        map
    }
}

impl Keymap {
    /// The action of a key in the boards.
    pub fn action(&self, key: Key) -> Option<Action> {
        self.action_in(Context::Boards, key)
    }

    /// The action of a key in a context.
    pub fn action_in(&self, context: Context, key: Key) -> Option<Action> {
        self.keys.get(&(context, key.meant())).copied()
    }

    /// The keys of an action, the shown one first.
    pub fn keys(&self, action: Action) -> &[Key] {
        self.shown.get(&action).map_or(&[], Vec::as_slice)
    }

    /// The key that screens show for an action, empty when it is unbound.
    pub fn sign(&self, action: Action) -> String {
        self.keys(action).first().map_or_else(String::new, |key| key.sign())
    }

    /// Binds actions anew by a TOML text in the form of `assets/keymap.toml`. A bad line is reported with its number, and the
    /// rest still counts. `answers` names the answer that a character gives where items are judged: such a character cannot be
    /// bound there.
    pub fn override_with(&mut self, text: &str, answers: &dyn Fn(char) -> Option<String>) -> Vec<Error> {
        let mut complaints = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if let Err(error) = self.bind_line(line, answers) {
                complaints.push(error.at_line(number));
            }
        }
        complaints
    }

    fn bind_line(&mut self, line: &str, answers: &dyn Fn(char) -> Option<String>) -> Result<()> {
        let table: BTreeMap<String, Vec<String>> =
            toml::from_str(line).map_err(|error| Error::new(error.message().replace('\n', " ")))?;
        for (name, keys) in table {
            let action = Action::named(&name).ok_or_else(|| {
                Error::new(format!("there is no action {name:?}")).advise("`haymark keys` lists them")
            })?;
            let keys = keys.iter().map(|key| readable(key)).collect::<Result<Vec<Key>>>()?;
            let judges = matches!(action.context(), Context::Boards | Context::Settling);
            let answered = |key: &Key| Some((*key, answers(key.plain_char()?)?));
            if let Some((key, answered)) = keys.iter().find_map(answered).filter(|_| judges) {
                return Err(Error::new(format!("{key} answers {answered}, so {name} cannot have it"))
                    .advise("choose another key"));
            }
            self.bind(action, keys);
        }
        Ok(())
    }

    fn bind(&mut self, action: Action, keys: Vec<Key>) {
        self.keys.retain(|_, bound| *bound != action);
        for key in &keys {
            if let Some(before) = self.keys.insert((action.context(), *key), action)
                && let Some(list) = self.shown.get_mut(&before)
            {
                list.retain(|other| other != key);
            }
        }
        self.shown.insert(action, keys);
    }
}

fn readable(text: &str) -> Result<Key> {
    let key: Key = text.parse().map_err(Error::new)?;
    // Terminals send these control keys as the plain keys named here.
    let twin = match key.code {
        KeyCode::Char('i') if key.control => Some("tab"),
        KeyCode::Char('m') if key.control => Some("enter"),
        KeyCode::Char('[') if key.control => Some("esc"),
        KeyCode::Char('h') if key.control => Some("backspace"),
        _ => None,
    };
    match twin {
        Some(twin) => Err(Error::new(format!("terminals cannot tell {text} from {twin}"))),
        None => Ok(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtins;

    fn key(text: &str) -> Key {
        text.parse().expect(text)
    }

    #[test]
    fn the_built_in_file_is_clean_and_binds_every_action() {
        let mut map = Keymap { keys: BTreeMap::new(), shown: BTreeMap::new() };
        assert_eq!(map.override_with(BUILT_IN, &|_| None), []);
        for action in Action::ALL {
            assert!(!map.keys(action).is_empty(), "{} has a key", action.name());
        }
        let listed: usize = Action::ALL.iter().map(|action| map.keys(*action).len()).sum();
        assert_eq!(listed, map.keys.len(), "no key stands twice");
    }

    #[test]
    fn no_key_that_answers_does_anything_else() {
        let map = Keymap::default();
        for protocol in builtins() {
            for choice in protocol.questions.iter().flat_map(|question| question.choices()) {
                let clash = map.action(Key::plain(KeyCode::Char(choice.key)));
                assert_eq!(clash, None, "{} {}", protocol.name, choice.key);
            }
        }
        for digit in '0'..='9' {
            assert_eq!(map.action(Key::plain(KeyCode::Char(digit))), None, "digits link bullets");
        }
    }

    #[test]
    fn no_action_takes_what_answers_where_items_are_judged() {
        let mut map = Keymap::default();
        let answers = |key: char| (key == 'x').then(|| "\"Covered?\"".to_owned());
        let file = "skip = [\"ctrl-s\", \"ｘ\"]\nexample = [\"x\"]\nalso = []\nselect-take = [\"x\"]\nflag = [\"ctrl-x\"]\n";
        let said: Vec<String> = map.override_with(file, &answers).iter().map(ToString::to_string).collect();
        assert_eq!(said[0], "line 1: ｘ answers \"Covered?\", so skip cannot have it; choose another key");
        assert!(said[1].starts_with("line 2: x answers") && said.len() == 3, "{said:?}");
        assert_eq!(map.keys(Action::Skip), [key("s")], "it keeps what it had");
        assert_eq!(map.keys(Action::SelectTake), [key("x")], "nothing is answered there");
        assert_eq!(map.keys(Action::Flag), [key("ctrl-x")]);
    }

    #[test]
    fn a_full_width_key_does_what_its_narrow_one_does() {
        let map = Keymap::default();
        for (wide, narrow) in
            [("？", "?"), ("！", "!"), ("／", "/"), ("：", ":"), ("Ａ", "A"), ("\u{3000}", "space")]
        {
            assert!(map.action(key(narrow)).is_some(), "{narrow}");
            assert_eq!(map.action(key(wide)), map.action(key(narrow)), "{wide}");
        }
        assert_eq!([key("１").plain_char(), key("ｆ").plain_char()], [Some('1'), Some('f')]);
        assert_eq!(key("ｆ").typed_char(), Some('ｆ'), "what is typed stays as it is");
        assert_eq!(key("中").plain_char(), Some('中'));
    }

    #[test]
    fn an_override_moves_a_key_and_a_bad_line_does_not_spoil_the_rest() {
        let mut map = Keymap::default();
        let complaints =
            map.override_with("skip = [\"ctrl-m\"]\nundo = [\"s\"]\nsing = [\"x\"]\n", &|_| None);
        let said: Vec<String> = complaints.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 2);
        assert_eq!(said[0], "line 1: terminals cannot tell ctrl-m from enter");
        assert!(said[1].starts_with("line 3: there is no action \"sing\""), "{}", said[1]);
        assert_eq!(map.action(key("s")), Some(Action::Undo));
        assert_eq!(map.action(key("u")), None);
        assert_eq!(map.keys(Action::Skip), []);
    }
}
