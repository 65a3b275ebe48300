//! The members of a hub, and the names that they go by in the study.

use crate::error::Result;
use crate::hub::{HubLink, Member, MemberKind};
use crate::store::StudyFile;

/// The members of a hub, each with the person whom the study knows behind the name.
pub struct Logins(Vec<(Member, String)>);

impl Logins {
    pub fn of(study: &StudyFile, link: &mut HubLink) -> Result<Self> {
        let with_person = |member: Member| study.person_behind(&member.name).map(|person| (member, person));
        link.members()?.into_iter().map(with_person).collect::<Result<_>>().map(Logins)
    }

    pub fn persons(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, person)| person.as_str())
    }

    /// The annotators who are in.
    pub fn annotators(&self) -> impl Iterator<Item = &String> {
        let is_in = |member: &Member| member.kind == MemberKind::Annotator && !member.is_removed;
        self.0.iter().filter(move |(member, _)| is_in(member)).map(|(_, person)| person)
    }

    /// The person whom the study knows behind a member's name.
    pub fn person_of<'l>(&'l self, login: &'l str) -> &'l str {
        self.0.iter().find(|(member, _)| member.name == login).map_or(login, |(_, person)| person)
    }

    /// The login of a person. Who has another name since goes on under the one that the hub knows, until there is a login of
    /// the new one.
    pub fn login_of(&self, person: &str) -> String {
        let mut earlier = self.0.iter().rev().filter(|(member, now)| member.name != person && now == person);
        let earlier = earlier.next().filter(|_| !self.has_login(person));
        earlier.map_or(person, |(member, _)| &member.name).to_owned()
    }

    /// The removed logins of people who have one of another name since.
    pub fn ended(&self) -> impl Iterator<Item = &str> {
        let is_ended = |member: &Member, person: &str| member.is_removed && member.name != person;
        let ended =
            self.0.iter().filter(move |(member, person)| is_ended(member, person) && self.has_login(person));
        ended.map(|(member, _)| member.name.as_str())
    }

    /// The logins of people who were removed and have no other way in, each with the person.
    pub fn out(&self) -> impl Iterator<Item = (&str, &str)> {
        let is_in =
            |person: &str| self.0.iter().any(|(member, _)| member.name == person && !member.is_removed);
        let out = self.0.iter().filter(move |(member, person)| member.is_removed && !is_in(person));
        out.map(|(member, person)| (member.name.as_str(), person.as_str()))
    }

    fn has_login(&self, person: &str) -> bool {
        self.0.iter().any(|(member, _)| member.name == person)
    }
}
