//! Enumerations each of whose values has a word.

/// Declares an enumeration with the word of each value, which files, screens and the command line share.
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $kind:ident {
        $($(#[$about:meta])* $value:ident = $word:literal,)*
    }) => {
        $(#[$meta])*
        $vis enum $kind {
            $($(#[$about])* $value,)*
        }

        impl $kind {
            /// The word for each value.
            #[allow(dead_code)] // not every enumeration is read from files
            pub const WORDS: &[(&str, $kind)] = &[$(($word, $kind::$value)),*];

            /// All values, in their order.
            #[allow(dead_code)]
            pub const ALL: [$kind; [$($word),*].len()] = [$($kind::$value),*];

            /// The word for the value.
            pub fn name(self) -> &'static str {
                match self {
                    $($kind::$value => $word,)*
                }
            }

            /// The value of this word.
            #[allow(dead_code)]
            pub fn named(word: &str) -> Option<$kind> {
                $kind::ALL.into_iter().find(|value| value.name() == word)
            }
        }
    };
}
