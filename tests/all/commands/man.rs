//! Manual pages: one for haymark, one for each command, saying what the arguments say.

use std::fs;

use haymark::cli::command;

use crate::harness::Desk;

#[test]
fn each_command_has_its_page() {
    let desk = Desk::new();
    desk.out(&["man", "-o", "pages/man1"]);
    let pages = fs::read_dir(desk.path("pages/man1")).expect("the folder").count();
    assert!(pages > command().get_subcommands().count());
    for command in command().get_subcommands() {
        let page = format!("pages/man1/haymark-{}.1", command.get_name());
        let page =
            fs::read_to_string(desk.path(&page)).expect("a page").replace("\\*(Aq", "'").replace('\\', "");
        let about = command.get_about().expect("a line of help").to_string();
        assert!(page.contains(&about), "{about}\n{page}");
    }
}

#[test]
fn without_a_folder_the_page_of_haymark_is_printed() {
    let page = Desk::new().out(&["man"]);
    assert!(page.contains(".TH haymark 1"), "{page}");
    assert!(page.contains("haymark\\-annotate(1)"), "{page}");
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let desk = Desk::new();
    desk.file("taken", "a file");
    let (status, told) = desk.fails(&["man", "-o", "taken"]);
    assert!(status == 1 && told.contains("taken"), "{told}");
}
