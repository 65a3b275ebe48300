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

    /// The login of a person: one that lets her in, where there is any. Of several it is that of the name that she has now, else the
    /// latest.
    pub fn login_of(&self, person: &str) -> String {
        let is_hers =
            |(_, (member, now)): &(usize, &(Member, String))| member.name == person || now == person;
        let hers = self.0.iter().enumerate().filter(is_hers);
        let best = hers.max_by_key(|(at, (member, _))| (!member.is_removed, member.name == person, *at));
        best.map_or(person, |(_, (member, _))| &member.name).to_owned()
    }

    /// The removed logins of people who go by another one.
    pub fn ended(&self) -> impl Iterator<Item = &str> {
        let is_ended =
            |member: &Member, person: &str| member.is_removed && self.login_of(person) != member.name;
        let ended = self.0.iter().filter(move |(member, person)| is_ended(member, person));
        ended.map(|(member, _)| member.name.as_str())
    }

    /// The logins of people who were removed and have no other way in, each with the person.
    pub fn out(&self) -> impl Iterator<Item = (&str, &str)> {
        let is_in = |person: &str| self.0.iter().any(|(member, now)| now == person && !member.is_removed);
        let out = self.0.iter().filter(move |(member, person)| member.is_removed && !is_in(person));
        out.map(|(member, person)| (member.name.as_str(), person.as_str()))
    }
}
