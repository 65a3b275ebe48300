-- The tables of a hub, and its functions. Run once, in one transaction, by a login that owns the database and may make roles; no superuser.
-- Roles belong to the whole server, so each carries the hub's id: {hub}. Words in braces are filled in by `steps.rs`.
begin;
create role {owner} nologin;      -- owns the tables
create role {gate} nologin;       -- owns most functions; NOT owner of tables, so RLS binds these functions too
create role {member} nologin;     -- everyone invited: may call the functions, nothing else
create role {reader} nologin;     -- leads and observers: may also select from the tables, under RLS
create role {inviter} nologin createrole; -- owns invite/remove only
-- Needed from 16 on (CREATEROLE gives ADMIN only), harmless before. An inviter can only touch roles it made.
grant {owner}, {gate}, {inviter} to current_user;
grant {member}, {reader} to {inviter} with admin option;
do $$begin                                         -- no TEMP, no CONNECT
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to {member}', current_database());
end$$;
revoke all on schema public from public;
create schema hub authorization {owner};
grant usage on schema hub to {gate}, {member}, {inviter};
grant create on schema hub to {gate}, {inviter};     -- taken back below

set local role {owner};
create table hub.meta (key text primary key, value text not null);
-- The version of these tables, and the oldest haymark, by the tables that it knows, that this hub serves; whether annotators get
-- aliases for systems.
insert into hub.meta values ('schema', '1'), ('oldest', '1'), ('hub', '{hub}'), ('systems', '{systems}');
create table hub.study (
  id int primary key generated always as identity,
  key bytea not null unique check (octet_length(key) = 16),
  name text not null,
  head bigint not null default 0,       -- the last position given out
  marked bigint not null default 0,     -- when what is there came in, in microseconds since 1970
  records bigint not null default 0     -- the last position of a record
) with (fillfactor = 10);
-- Its row's lock orders all commits. It is never changed, so those who wait for it stand in a line, and one wakes at a time: each new
-- version of a row wakes all who wait for it.
create table hub.turn (study int primary key references hub.study);
create table hub.annotator (            -- dictionary: people and judges of a study
  id int primary key generated always as identity,
  study int not null references hub.study, key text not null, unique (study, key));
create table hub.member (
  study int not null references hub.study, login name not null, annotator int not null references hub.annotator,
  kind text not null check (kind in ('lead', 'annotator', 'observer')),
  removed timestamptz,
  sent bigint not null default 0,                  -- bytes that the member's events take, with what the server adds to each
  most bigint not null default 268435456,          -- how many these may be; holds for annotators
  primary key (study, login));
-- Whose an opening of a file is, from its first use; nobody's name: the leads'. Names below 0 follow from what is said and by whom.
-- Without references, as in events: each would lock the study's row, on which all who send wait already.
create table hub.writer (writer bigint not null, study int not null, annotator int, primary key (study, writer));
create table hub.record (               -- corpus, protocols, guidelines: only added
  pos bigint not null, received bigint not null, study int not null references hub.study,
  audience "char" not null check (audience in ('a', 'l')),   -- everyone, or leads and observers
  kind text not null, key bytea not null, body bytea not null,
  primary key (study, kind, key));
create unique index record_pos on hub.record (study, pos);
-- An event's name is its own annotator's: whether somebody else has the same is told to nobody. Journals, e: judgments, s: sessions,
-- j: what settles a disagreement, v: views, A: an assignment as leads have it, C: one whose known answer is told once the item is
-- judged, a: what an annotator gets of either.
create table hub.event (                -- fixed-width columns first: no padding
  pos bigint not null, writer bigint not null, at bigint, received bigint not null,
  seq bigint not null, study int not null, annotator int not null, journal "char" not null,
  item bytea, body bytea not null,
  primary key (writer, seq, study, annotator));
create unique index event_pos on hub.event (study, pos);
create index event_of_annotator on hub.event (study, annotator, pos);
create index event_of_item on hub.event (item, annotator) where item is not null;
create table hub.grp (                  -- work to hand out: one row a group, in the order of numbers
  study int not null references hub.study, grp int not null,
  wanted int not null,                  -- by how many people it is to be judged
  taken int not null default 0,         -- by how many it is held or done, but for those who have it as a control
  open int generated always as (greatest(wanted - taken, 0)) stored,
  items bytea[],                        -- the keys of its items, as far as each offer had them; null where none said
  protocol text not null, key bytea not null, primary key (study, grp), unique (study, protocol, key));
create index grp_open on hub.grp (study, protocol, grp) where open > 0;
create table hub.lease (
  study int not null, grp int not null, annotator int not null references hub.annotator,
  state "char" not null check (state in ('h', 'e', 'd', 'r')),   -- held, ended, done, given back: not for her again
  until timestamptz not null,
  since timestamptz not null default clock_timestamp(),   -- given, or held for longer
  beside int,                                             -- the group beside which a control stands; null for work
  primary key (study, grp, annotator), foreign key (study, grp) references hub.grp);
create index lease_held on hub.lease (study, until) where state = 'h';
create index lease_of on hub.lease (study, annotator);
create table hub.barred (               -- who gets a group as no work, and whether she gets it as a control
  study int not null, grp int not null, annotator int not null references hub.annotator, is_control boolean not null,
  primary key (study, annotator, grp), foreign key (study, grp) references hub.grp);
create table hub.mixed (                               -- controls of a protocol, as a share of what each is given
  study int not null references hub.study, protocol text not null, share float8 not null, primary key (study, protocol));

create function hub.append_only() returns trigger language plpgsql as
  $$begin raise exception 'the hub is append-only' using errcode = 'insufficient_privilege'; end$$;
do $$declare t text; begin foreach t in array array['record', 'event'] loop
  execute format('create trigger append_only before update or delete on hub.%I for each row execute function hub.append_only()', t);
  execute format('create trigger append_only_all before truncate on hub.%I for each statement execute function hub.append_only()', t);
end loop; end$$;

-- Who is asking: the login, never a setting that the client may change. Null when removed: ends access at once.
create function hub.kind(s int) returns text stable security definer set search_path = pg_catalog, pg_temp
  language sql as 'select kind from hub.member where study = s and login = session_user and removed is null';
create function hub.me(s int) returns int stable security definer set search_path = pg_catalog, pg_temp
  language sql as 'select annotator from hub.member where study = s and login = session_user and removed is null';
revoke all on function hub.append_only(), hub.kind(int), hub.me(int) from public;
create function hub.studies() returns table (study int, kind text, annotator int)
  stable security definer set search_path = pg_catalog, pg_temp language sql as
  'select study, kind, annotator from hub.member where login = session_user and removed is null';
revoke all on function hub.studies() from public;
grant execute on function hub.kind(int), hub.me(int), hub.studies() to {gate}, {member};

do $$declare t text; begin foreach t in array array['study', 'turn', 'annotator', 'member', 'writer', 'record', 'event', 'grp', 'lease', 'barred', 'mixed'] loop
  execute format('alter table hub.%I enable row level security', t); end loop; end$$;
-- Whether who asks has judged an item: by an answer or an import. The kind of an event stands in its first bytes.
create function hub.judged(s int, of bytea) returns boolean stable security definer set search_path = pg_catalog, pg_temp
  language sql as $$select exists (select from hub.event e where e.item = of and e.annotator = hub.me(s) and e.study = s
    and e.journal = 'e' and (substr(e.body, 1, 3) <> '\x016504'::bytea or substr(e.body, 4, 7) = '\x06'::bytea || 'answer'::bytea))$$;
revoke all on function hub.judged(int, bytea) from public;
grant execute on function hub.judged(int, bytea) to {gate}, {member};
-- (select …) makes each an init plan: asked once a statement, not once a row.
create policy see on hub.study for select using (id in (select study from hub.studies()));
create policy head on hub.study for update to {gate} using (id in (select study from hub.studies()));
create policy see on hub.annotator for select using (
  study in (select study from hub.studies() where kind <> 'annotator') or id in (select annotator from hub.studies()));
create policy name on hub.annotator for insert to {gate} with check (
  study in (select study from hub.studies() where kind = 'lead'));
create policy see on hub.member for select using (
  study in (select study from hub.studies() where kind <> 'annotator') or login = session_user);
create policy see on hub.record for select using (
  study in (select study from hub.studies() where kind <> 'annotator')
  or audience = 'a' and study in (select study from hub.studies()));
create policy add on hub.record for insert to {gate} with check (study in (select study from hub.studies() where kind = 'lead'));
create policy see on hub.event for select using (
  study in (select study from hub.studies() where kind <> 'annotator')
  or annotator in (select annotator from hub.studies())
     and (journal not in ('A', 'C') or journal = 'C' and hub.judged(study, item)));
create policy work on hub.grp to {gate} using (study in (select study from hub.studies() where kind <> 'observer'))
  with check (study in (select study from hub.studies() where kind <> 'observer'));
create policy work on hub.lease to {gate} using (study in (select study from hub.studies() where kind <> 'observer'))
  with check (study in (select study from hub.studies() where kind <> 'observer'));
create policy work on hub.barred to {gate} using (study in (select study from hub.studies() where kind <> 'observer'))
  with check (study in (select study from hub.studies() where kind = 'lead'));
create policy work on hub.mixed to {gate} using (study in (select study from hub.studies() where kind <> 'observer'))
  with check (study in (select study from hub.studies() where kind = 'lead'));
create policy see on hub.grp for select to {reader} using (study in (select study from hub.studies() where kind <> 'annotator'));
create policy see on hub.lease for select to {reader} using (study in (select study from hub.studies() where kind <> 'annotator'));

grant select on hub.study, hub.annotator, hub.member, hub.record, hub.event, hub.grp, hub.lease to {gate};
grant select on hub.meta to {gate}, {member};
grant update (head, marked, records) on hub.study to {gate};
grant insert on hub.annotator, hub.record to {gate};
grant insert, update (wanted, taken, items) on hub.grp to {gate};
grant insert, update (state, until, since, beside) on hub.lease to {gate};
grant select, insert, update (is_control) on hub.barred to {gate};
grant select, insert, update (share) on hub.mixed to {gate};
grant usage on schema hub to {reader};
grant select on hub.study, hub.annotator, hub.member, hub.record, hub.event, hub.grp, hub.lease to {reader};
grant select, insert on hub.member, hub.annotator to {inviter};
grant select on hub.study, hub.turn to {inviter};
grant update (removed, kind) on hub.member to {inviter};
create policy invite on hub.member to {inviter} using (true) with check (true);
create policy invite on hub.annotator to {inviter} using (true) with check (true);
create policy evict on hub.turn for select to {inviter} using (true);
grant execute on function hub.kind(int), hub.studies() to {inviter};
grant update (key) on hub.annotator to {gate};   -- "for no key update" needs an update right on some column …
create policy lock_me on hub.annotator for update to {gate} using (id in (select annotator from hub.studies())) with check (false); -- … and no more
-- Microseconds since 1970.
create function hub.micros(at timestamptz) returns bigint immutable
  set search_path = pg_catalog, pg_temp language sql as 'select (extract(epoch from at) * 1000000)::bigint';
revoke all on function hub.micros(timestamptz) from public;
grant execute on function hub.micros(timestamptz) to {gate};
-- Whether the hub's logins, which belong to the whole server, are those of this database: a copy beside the hub has none.
create function hub.has_logins() returns boolean stable security definer set search_path = pg_catalog, pg_temp
  language sql as 'select shobj_description(''{owner}''::regrole, ''pg_authid'')
    = ''haymark hub in database '' || (select oid from pg_database where datname = current_database())';
revoke all on function hub.has_logins() from public;
grant execute on function hub.has_logins() to {inviter}, {reader};
create function hub.limit_to(s int, person text, bytes bigint) returns boolean
  security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' language plpgsql as $$
begin
  if hub.kind(s) is distinct from 'lead' then raise exception 'only a lead says how much somebody may send' using errcode = 'insufficient_privilege'; end if;
  update hub.member m set most = bytes from hub.annotator a where m.study = s and a.id = m.annotator and a.key = person;
  return found;
end$$;
-- Fewer than a quarter of the connections are in use, so three quarters go round among those who keep none.
create function hub.has_room() returns boolean stable security definer set search_path = pg_catalog, pg_temp language sql as
  'select 4 * sum(pg_stat_get_db_numbackends(oid)) < current_setting(''max_connections'')::int from pg_database';
revoke all on function hub.limit_to(int, text, bigint), hub.has_room() from public;
grant execute on function hub.limit_to(int, text, bigint), hub.has_room() to {member};
-- The head, and nobody else gives out positions until this transaction ends. Who waits too long ends who holds it.
create function hub.lock(s int) returns bigint security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s'
  language plpgsql as $$
begin
  begin
    perform from hub.turn where study = s for update;
  exception when lock_not_available then
    perform hub.evict(s);
    perform from hub.turn where study = s for update;
  end;
  return (select head from hub.study where id = s);
end$$;
revoke all on function hub.lock(int) from public;
grant execute on function hub.lock(int) to {gate};
-- What a member sends, and what came after her mark: one call, one round trip, one transaction. A file makes a connection for it, which
-- knows nothing and pays for each table, function and statement that it meets. So this function passes by row-level security and keeps the
-- rules itself, and each usual statement is short. k: the study's own name, so that no other study answers in its place.
-- The first row is about the hub: rewound where it has something else at the mark; the head; the places, from 1, of what it will not
-- have, all else being in; surplus of these for want of room, and most is how many bytes she may send. The other rows are its things.
-- Sending the same again changes nothing. persons: the place of each event's annotator in people, from 1.
create function hub.exchange(k bytea, p bigint, m bigint, lim int, writers bigint[], seqs bigint[], people text[], persons int[], journals bytea,
                             ats bigint[], items bytea[], bodies bytea[])
  returns table (rewound boolean, pos bigint, received bigint, kind text, audience "char", writer bigint, seq bigint, annotator text,
                 journal "char", at bigint, item bytea, key bytea, body bytea, refused int[], surplus int, most bigint)
  security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
#variable_conflict use_column
declare s int; me int; name text; is_lead boolean; is_annotator boolean; room bigint; h bigint; mark bigint; papers bigint; has boolean;
  ids int[]; i int := 0; who int; whose int; opening bigint; letter int; size int; weight bigint := 0; may boolean; clock bigint; is_same boolean;
  is_locked boolean := false; is_claimed boolean;
begin
  select x.study, x.annotator, a.key, x.kind = 'lead', x.kind = 'annotator', x.most, x.most - x.sent, t.head, t.marked, t.records,
      p = 0 or exists (select from hub.event e where e.study = t.id and e.pos = p and e.received = m)
    into s, me, name, is_lead, is_annotator, most, room, h, mark, papers, has
    from hub.study t join hub.member x on x.study = t.id join hub.annotator a on a.id = x.annotator
    where t.key = k and x.login = session_user and x.removed is null;
  if not found then raise exception 'you have no rights to this study, or no longer' using errcode = 'insufficient_privilege'; end if;
  if not has and p <= papers then
    has := exists (select from hub.record r where r.study = s and r.pos = p and r.received = m); end if;
  if writers <> '{}' then
    if not is_lead and not is_annotator then raise exception 'an observer sends nothing' using errcode = 'insufficient_privilege'; end if;
    if cardinality(writers) > 10000 then raise exception 'at most 10000 events a call'; end if;
    refused := '{}'; surplus := 0;
    -- An annotator sends judgments and sessions by herself, and no other name is looked up for her.
    if is_lead then
      insert into hub.annotator (study, key) select s, q from unnest(people) q
        where not exists (select from hub.annotator a where a.study = s and a.key = q) on conflict do nothing;
      select array_agg(a.id order by i) into ids
        from unnest(people) with ordinality g(q, i) left join hub.annotator a on a.study = s and a.key = q;
    end if;
    pos := h;
    -- An event is looked for by its name. While the table is empty, an index that begins with the study is thought as good, which + 0 rules out.
    -- Much of a lead's comes in by one statement, in half the time; nothing of hers is too much or under another's name.
    if is_lead and cardinality(writers) > 100 then
      i := cardinality(writers);
      if exists (select from unnest(bodies) b where octet_length(b) > 1048576) then
        raise exception 'an event has at most 1048576 bytes' using errcode = 'program_limit_exceeded'; end if;
      if exists (select from unnest(writers, seqs, persons) g(w, q, n) where (
          select e.pos from hub.event e where e.writer = w and e.seq = q and e.study + 0 = s and e.annotator = ids[n]) is null) then
        perform from hub.turn where study = s for update skip locked;
        if not found then perform hub.lock(s); end if;
        select head, marked into h, mark from hub.study where id = s;
        pos := h; clock := extract(epoch from clock_timestamp()) * 1000000;
        with sent as (select distinct on (w, q, ids[n]) * from unnest(writers, seqs, persons, ats, items, bodies) with ordinality g(w, q, n, t, y, b, o)
            where ids[n] is not null order by w, q, ids[n], o),
          fresh as (insert into hub.event
            select h + row_number() over (order by o), w, t, clock, q, s, ids[n], chr(get_byte(journals, o::int - 1))::"char", y, b from sent
              where (select e.pos from hub.event e where e.writer = w and e.seq = q and e.study + 0 = s and e.annotator = ids[n]) is null returning *),
          claimed as (insert into hub.writer
            select distinct on (f.writer) f.writer, s, case when f.journal in ('e', 'j', 's') then f.annotator end from fresh f
              where f.writer > 0 order by f.writer, f.pos on conflict do nothing)
          select coalesce(max(f.pos), h) into h from fresh f;
      end if;
      if h - pos < i then
        select coalesce(array_agg(o::int order by o), '{}') into refused
          from unnest(writers, seqs, persons, bodies) with ordinality g(w, q, n, b, o) where (
            select e.body = b from hub.event e where e.writer = w and e.seq = q and e.study + 0 = s and e.annotator = ids[n]) is not true;
      end if;
    end if;
    while i < cardinality(writers) loop
      i := i + 1;
      who := case when is_lead then ids[persons[i]] when people[persons[i]] = name then me end;
      letter := get_byte(journals, i - 1);
      if not is_lead and letter not in (101, 115) then who := null; end if;
      may := who is not null;
      if may and writers[i] > 0 then
        if writers[i] is distinct from opening then           -- whose an opening of a file is
          opening := writers[i];
          select annotator into whose from hub.writer where study = s and writer = opening;
          is_claimed := found;
        end if;
        may := is_lead or not is_claimed or whose = me;
      end if;
      -- What is new, in order, as far as there is room; a small one still comes in behind one that is too long.
      size := octet_length(bodies[i]) + coalesce(octet_length(items[i]), 0) + 250;
      if may and (is_lead or size <= room) then
        if octet_length(bodies[i]) > 1048576 then
          raise exception 'an event has at most 1048576 bytes' using errcode = 'program_limit_exceeded'; end if;
        if is_locked then
          insert into hub.event values (h + 1, writers[i], ats[i], clock, seqs[i], s, who, chr(letter)::"char", items[i], bodies[i]) on conflict do nothing;
          if found then
            if writers[i] > 0 and not is_claimed then
              whose := case when letter in (101, 106, 115) then who end;
              insert into hub.writer values (opening, s, whose);
              is_claimed := true;
            end if;
            h := h + 1; room := room - size; weight := weight + size;
            continue;
          end if;
        -- Who brings nothing that may come in waits for nobody, and nobody for her.
        elsif not exists (select from hub.event e where e.writer = writers[i] and e.seq = seqs[i] and e.study + 0 = s and e.annotator = who) then
          -- Orders commits: positions become visible in order. What was seen before may be another's by now, so it is looked at again.
          perform from hub.turn where study = s for update skip locked;
          if not found then perform hub.lock(s); end if;
          select head, marked into h, mark from hub.study where id = s;
          is_locked := true; pos := h; clock := extract(epoch from clock_timestamp()) * 1000000; opening := null; i := i - 1;
          continue;
        end if;
      end if;
      -- It was here, and must be the same, or is refused.
      select e.body = bodies[i] into is_same from hub.event e where e.writer = writers[i] and e.seq = seqs[i] and e.study + 0 = s and e.annotator = who;
      if may and is_same is null then surplus := surplus + 1; end if;
      if is_same is not true then refused := refused || i; end if;
    end loop;
    if h > pos then                                           -- a mark is that of the event at the head, never of one refused
      mark := clock;
      update hub.study set head = h, marked = mark where id = s;
      if is_annotator then
        update hub.member set sent = sent + weight where study = s and login = session_user and sent + weight <= most;
        if not found then raise exception 'you may send % MB, and this would be more', most >> 20 using errcode = 'program_limit_exceeded'; end if;
      end if;
    end if;
  end if;
  rewound := not has; pos := h; received := mark;
  return next;
  if rewound or p = h or lim = 0 then return; end if;
  if is_annotator and papers <= p then                        -- the usual case: by the index of her own, and no other table
    return query select false, e.pos, e.received, null::text, null::"char", e.writer, e.seq, name,
        case when e.journal = 'C' then 'a' else e.journal end::"char", e.at, e.item, null::bytea, e.body, null::int[], null::int, null::bigint
      from hub.event e where e.study = s and e.annotator = me and e.pos > p and e.pos <= h
        and (e.journal not in ('A', 'C') or e.journal = 'C' and hub.judged(s, e.item)) order by e.pos limit lim;
  elsif is_annotator then
    return query select false, x.*, null::int[], null::int, null::bigint from (
      (select e.pos, e.received, null::text, null::"char", e.writer, e.seq, name,
         case when e.journal = 'C' then 'a' else e.journal end::"char", e.at, e.item, null::bytea, e.body
       from hub.event e where e.study = s and e.annotator = me and e.pos > p and e.pos <= h
         and (e.journal not in ('A', 'C') or e.journal = 'C' and hub.judged(s, e.item)) order by e.pos limit lim)
      union all
      (select r.pos, r.received, r.kind, r.audience, null, null, null, null, null, null, r.key, r.body
       from hub.record r where r.study = s and r.audience = 'a' and r.pos > p and r.pos <= h order by r.pos limit lim)) x
      order by x.pos limit lim;
  else
    return query select false, x.*, null::int[], null::int, null::bigint from (
      (select e.pos, e.received, null::text, null::"char", e.writer, e.seq, a.key,
         case when e.journal in ('A', 'C') then 'a' else e.journal end::"char", e.at, e.item, null::bytea, e.body
       from hub.event e join hub.annotator a on a.id = e.annotator where e.study = s and e.pos > p and e.pos <= h order by e.pos limit lim)
      union all
      (select r.pos, r.received, r.kind, r.audience, null, null, null, null, null, null, r.key, r.body
       from hub.record r where r.study = s and r.pos > p and r.pos <= h order by r.pos limit lim)) x
      order by x.pos limit lim;
  end if;
end$$;
revoke all on function hub.exchange(bytea, bigint, bigint, int, bigint[], bigint[], text[], int[], bytea, bigint[], bytea[], bytea[]) from public;
grant execute on function hub.exchange(bytea, bigint, bigint, int, bigint[], bigint[], text[], int[], bytea, bigint[], bytea[], bytea[]) to {member};

set local role {inviter};
-- Ends who holds a study from all others for longer than five seconds, but for the login that made the hub.
create function hub.evict(s int) returns void security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
begin
  perform pg_terminate_backend(a.pid) from hub.turn t
    join pg_locks l on l.locktype = 'transactionid' and l.transactionid = t.xmax and l.granted
    join pg_stat_activity a on a.pid = l.pid and a.xact_start < clock_timestamp() - interval '5s'
    where t.study = s and starts_with(a.usename, replace(current_user, '_inviter', '_'));
end$$;
revoke all on function hub.evict(int) from public;
grant execute on function hub.evict(int) to {owner};
-- The verifier is made by the client (SCRAM), so no log and no pg_stat_statements ever holds the password. A login has three connections:
-- an open screen, a command, and one to spare.
create function hub.invite(s int, person text, as_kind text, verifier text) returns text
  security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
declare l text; a int; h text := (select substr(current_user, 1, length(current_user) - length('_inviter')));
begin
  if hub.kind(s) is distinct from 'lead' then raise exception 'only a lead invites' using errcode = 'insufficient_privilege'; end if;
  if verifier !~ '^SCRAM-SHA-256\$\d+:[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+$' then raise exception 'no SCRAM verifier'; end if;
  if person is not nfc normalized or person ~ '[[:cntrl:]]' or char_length(person) not between 1 and 200 then
    raise exception 'a name has 1 to 200 signs, none of them a control character, in the composed form of Unicode'; end if;
  if not coalesce(hub.has_logins(), false) then
    raise exception 'the logins of this hub belong to another database; whoever owns this one runs "haymark hub create" again'
      using errcode = 'insufficient_privilege'; end if;
  insert into hub.annotator (study, key) values (s, person) on conflict (study, key) do nothing;
  select id into a from hub.annotator where study = s and key = person;
  l := h || '_' || a;                                          -- no name of a person in a cluster-wide list
  if l = session_user then raise exception 'nobody invites herself' using errcode = 'insufficient_privilege'; end if;
  if exists (select from pg_roles where rolname = l) then
    execute format('alter role %I login connection limit 3 password %L', l, verifier);
  else  -- inherit must be said here: from 16 on it is a property of the membership, fixed when it is granted
    execute format('create role %I login inherit nocreatedb nocreaterole connection limit 3 password %L in role %I', l, verifier, h || '_member');
    execute format('alter role %I set idle_in_transaction_session_timeout = ''10s''', l);
    execute format('alter role %I set statement_timeout = ''60s''', l);
    execute format('grant %I to %I', l, current_user);
  end if;
  if as_kind <> 'annotator' then execute format('grant %I to %I', h || '_reader', l);
  elsif pg_has_role(l, h || '_reader', 'member') then execute format('revoke %I from %I', h || '_reader', l); end if;
  insert into hub.member values (s, l, a, as_kind)             -- known already after a restore without roles
    on conflict (study, login) do update set removed = null, kind = excluded.kind;
  return l;
end$$;
create function hub.remove(s int, person text) returns boolean
  security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' language plpgsql as $$
declare l text; found boolean := false; h text := (select substr(current_user, 1, length(current_user) - length('_inviter')));
begin
  if hub.kind(s) is distinct from 'lead' then raise exception 'only a lead removes' using errcode = 'insufficient_privilege'; end if;
  -- What is open of hers ends first, so that nothing which she holds stands in the way.
  perform pg_terminate_backend(p.pid) from hub.member m join hub.annotator a on a.id = m.annotator and a.study = s and a.key = person
    join pg_stat_activity p on p.usename = m.login and p.datname = current_database()
    where m.study = s and m.login <> session_user and starts_with(m.login, h || '_');
  for l in update hub.member m set removed = now() from hub.annotator a where m.study = s and a.study = s and a.key = person
           and m.annotator = a.id and m.removed is null and m.login <> session_user returning m.login loop
    found := true;
    -- The login with which the hub was made is not the hub's to change, and a copy's logins are those of the hub.
    if l like h || '\_%' and hub.has_logins() and not exists (select from hub.member where login = l and removed is null) then
      execute format('alter role %I nologin', l); end if;
  end loop;
  return found;                                                -- open connections: every function and policy refuses from now on
end$$;
revoke all on function hub.invite(int, text, text, text), hub.remove(int, text) from public;
grant execute on function hub.invite(int, text, text, text), hub.remove(int, text) to {member};

set local role {gate};
-- Who asks; nothing for a stranger.
create function hub.mine() returns table (study int, key bytea, name text, kind text, removed boolean)
  stable security definer set search_path = pg_catalog, pg_temp language sql as
  'select m.study, s.key, a.key, m.kind, m.removed is not null from hub.member m
   left join hub.study s on s.id = m.study left join hub.annotator a on a.id = m.annotator where m.login = session_user order by 1';
-- The known answers for items that who asks has judged, as rows of exchange.
create function hub.told(s int, items bytea[])
  returns table (rewound boolean, pos bigint, received bigint, kind text, audience "char", writer bigint,
                 seq bigint, annotator text, journal "char", at bigint, item bytea, key bytea, body bytea)
  stable security definer set search_path = pg_catalog, pg_temp language sql as
  'select false, e.pos, e.received, null::text, null::"char", e.writer, e.seq, a.key, ''a''::"char", e.at, e.item, null::bytea, e.body
   from unnest(items) i join hub.event e on e.item = i and e.annotator = hub.me(s) join hub.annotator a on a.id = e.annotator
   where e.study = s and e.journal = ''C'' and hub.judged(s, i) order by e.pos';
create function hub.put(s int, audiences bytea, kinds text[], keys bytea[], bodies bytea[]) returns bigint
  security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
declare h bigint; n bigint := 0;
begin
  if hub.kind(s) is distinct from 'lead' then raise exception 'only a lead adds to the study' using errcode = 'insufficient_privilege'; end if;
  if 'candidate' = any (kinds) and not exists (select from hub.record where study = s and kind = 'secret')
     and exists (select from hub.meta where key = 'systems' and value = 'hidden') then
    raise exception 'systems are hidden here, and the file that hides them has not sent its secret yet' using errcode = 'insufficient_privilege';
  end if;
  select head into h from hub.study where id = s;
  if exists (select from unnest(kinds, keys) g(k, y) where (select r.pos from hub.record r where r.study = s and r.kind = k and r.key = y) is null) then
    h := hub.lock(s);
    with fresh as (insert into hub.record (pos, received, study, audience, kind, key, body)
      select h + row_number() over (order by i), clock.now, s, chr(get_byte(audiences, i::int - 1))::"char", k, y, b
      from (select distinct on (k, y) * from unnest(kinds, keys, bodies) with ordinality g(k, y, b, i) order by k, y, i) g,
        (select hub.micros(clock_timestamp()) now) clock
      where (select r.pos from hub.record r where r.study = s and r.kind = k and r.key = y) is null returning 1)
    select count(*) into n from fresh;
    update hub.study set head = h + n, records = h + n, marked = (select r.received from hub.record r where r.study = s and r.pos = h + n)
      where id = s and n > 0;
  end if;
  return h + n;
end$$;

-- By how many people groups are taken. Leases change first, then the groups are locked, then counted by a statement that sees both:
-- so no two calls take one place. All lock leases before groups, and groups in the order of their numbers.
create function hub.reckon(s int, groups int[]) returns void
  security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
begin
  perform from hub.grp where study = s and grp = any (groups) order by grp for update;
  update hub.grp q set taken = (select count(*) from hub.lease l where l.study = s and l.grp = q.grp
    and l.state in ('h', 'd') and l.beside is null) where q.study = s and q.grp = any (groups);
end$$;
-- The next groups of a protocol for whoever asks. Those held before are among them, so asking again after a lost reply gives the same.
-- The server tells everybody how many rows of which table a call of hers read and wrote: that is the same for a control and for work,
-- here and in settle, so nothing is counted there that others have.
create function hub.take(s int, p text, want int, hold bigint) returns table (key bytea, until bigint)
  security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' language plpgsql as $$
#variable_conflict use_column
declare a int := hub.me(s); groups int[]; free int[]; places int[]; near int[]; controls int[] := '{}'; known int[]; hers int[]; over int[]; barred int[]; waiting int[];
  more int; last bigint; stretch float8; given int; mixed int; due int; lying record; now_at timestamptz := clock_timestamp();
  limit_at timestamptz := now_at + make_interval(secs => least(greatest(hold, 3600), 86400));
begin
  if a is null or hub.kind(s) = 'observer' then
    raise exception 'only annotators and leads take work' using errcode = 'insufficient_privilege'; end if;
  -- One at a time per person: two machines of one person must not be given one group twice.
  perform from hub.annotator where id = a for no key update;
  -- Held for longer where something of hers came in since: asking alone holds nothing.
  select e.received into last from hub.event e where e.study = s and e.annotator = a and e.journal in ('e', 's') order by e.pos desc limit 1;
  update hub.lease l set until = limit_at, since = now_at from hub.grp q where l.study = s and l.annotator = a and l.state = 'h'
    and q.study = s and q.grp = l.grp and q.protocol = p and last >= hub.micros(l.since);
  select greatest(least(want, 500) - count(*) filter (where l.state = 'h'), 0), count(*) filter (where l.until > l.since),
      count(l.beside) filter (where l.until > l.since), coalesce(array_agg(l.grp), '{}'),
      coalesce(array_agg(l.grp) filter (where l.state <> 'e'), '{}'), coalesce(array_agg(l.grp) filter (where l.state in ('d', 'r')), '{}')
      into more, given, mixed, known, hers, over
    from hub.lease l join hub.grp q using (study, grp) where l.study = s and l.annotator = a and q.protocol = p;
  select coalesce(array_agg(b.grp), '{}'), array_agg(b.grp order by random()) filter (where b.is_control and b.grp <> all (known))
    into barred, waiting from hub.barred b join hub.grp q using (study, grp) where b.study = s and b.annotator = a and q.protocol = p;
  select coalesce(array_agg(f.grp order by f.grp), '{}') into free from (select q.grp from hub.grp q
    where q.study = s and q.protocol = p and q.open > 0 and q.grp <> all (hers) and q.grp <> all (barred)
    order by q.grp limit more for update of q skip locked) f;
  -- Where nothing else is left, what others let lie, in its order and only as much as is wanted: a control among it goes like work,
  -- and one that went comes again where the group beside which it stood does, or, where she is done with that, what stood behind it.
  -- So what goes, stays or comes again is not told apart.
  groups := free;
  for lying in select l.grp, l.annotator, l.beside from hub.lease l join hub.grp q using (study, grp)
      where l.study = s and l.state = 'h' and l.until < now_at and l.annotator <> a and q.protocol = p
        and (l.beside is not null or l.grp <> all (hers) and l.grp <> all (barred))
      order by coalesce(l.beside, l.grp), md5(q.key) for update of l, q skip locked loop
    exit when cardinality(groups) = more;
    continue when lying.beside is null and lying.grp = any (groups);
    update hub.lease set state = 'e' where study = s and grp = lying.grp and annotator = lying.annotator;
    if lying.beside is null then groups := groups || lying.grp; end if;
  end loop;
  places := groups;
  update hub.lease set state = 'h', until = limit_at, since = now_at where study = s and annotator = a and state = 'e'
    and beside = any (groups || over) and beside <= (select max(g) from unnest(groups) g);
  get diagnostics due = row_count;
  groups := groups[1:cardinality(groups) - due];
  -- Controls stand in the places of work, one in each stretch, at a place that nobody can foretell. What was ever given counts,
  -- whatever became of it: so neither how much comes, nor what comes for what is given back, tells which is which.
  select (1 + share) / share into stretch from hub.mixed where study = s and protocol = p and share > 0;
  if found and waiting is not null then
    due := 0;
    for place in given + 1 .. given + (select count(*) from unnest(groups) g where g <> all (known)) loop
      exit when due = cardinality(waiting);
      if place > (mixed + due) * stretch and random() * (floor((mixed + due + 1) * stretch) - place + 1) < 1 then due := due + 1; end if;
    end loop;
    -- Beside what she is given, else beside what she had before it: never beside what may go to another without her.
    select array_agg(b.grp) into near from (select l.grp from hub.lease l join hub.grp q using (study, grp)
      where l.study = s and l.annotator = a and l.beside is null and q.protocol = p and l.grp < groups[1] order by l.grp desc limit 1) b;
    if cardinality(groups) > due then near := groups[1:cardinality(groups) - due]; end if;
    if near is not null then
      controls := waiting[1:due];
      groups := groups[1:cardinality(groups) - due];
    end if;
  end if;
  insert into hub.lease (study, grp, annotator, state, until, beside)
    select s, g, a, 'h', limit_at, case when g = any (controls) then near[1 + g % cardinality(near)] end from unnest(groups || controls) g
    on conflict (study, grp, annotator) do update set state = 'h', until = excluded.until, since = clock_timestamp();
  -- Who takes what another let lie takes her place too.
  update hub.grp set taken = taken + (grp = any (groups) and grp = any (free))::int where study = s and grp = any (places);
  return query select q.key, hub.micros(l.until) from hub.lease l join hub.grp q using (study, grp)
    where l.study = s and l.annotator = a and l.state = 'h' and q.protocol = p order by coalesce(l.beside, l.grp), md5(q.key);
end$$;
-- Done, which is what she has judged whole, or given back. A late answer counts, also where the lease has ended or a restored hub
-- knows of none.
create function hub.settle(s int, p text, keys bytea[], done boolean) returns int
  security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' language plpgsql as $$
declare a int := hub.me(s); groups int[]; counted int[]; kept int[];
begin
  if a is null or hub.kind(s) = 'observer' then
    raise exception 'only annotators and leads settle work' using errcode = 'insufficient_privilege'; end if;
  perform from hub.annotator where id = a for no key update;
  select coalesce(array_agg(q.grp), '{}') into groups from hub.grp q where q.study = s and q.protocol = p and q.key = any (keys)
    and not (done and exists (select from unnest(q.items) i where not hub.judged(s, i)));
  select coalesce(array_agg(b.grp), '{}') into kept from hub.barred b where b.study = s and b.annotator = a;
  select coalesce(array_agg(h.grp) filter (where h.state in ('h', 'd')), '{}'), kept || array_agg(h.grp) filter (where h.state = 'd')
    into counted, kept from (select l.grp, l.state from hub.lease l where l.study = s and l.annotator = a and l.grp = any (groups)
      order by l.grp for update) h;
  insert into hub.lease (study, grp, annotator, state, until)
    select s, g, a, case when done then 'd' else 'r' end::"char", clock_timestamp() from unnest(groups) g order by g
    on conflict (study, grp, annotator) do update set state = excluded.state where hub.lease.state <> 'd';
  perform from hub.grp where study = s and grp = any (groups) order by grp for update;
  update hub.grp set taken = taken + case when grp = any (kept) then 0 else done::int - (grp = any (counted))::int end
    where study = s and grp = any (groups);
  return cardinality(groups);
end$$;
-- Offers groups behind those that were offered before; how many are new. A known one wants as many people as is said last, none at 0.
-- had: the place of a group in keys, from 1, by whom it is had, and whether that is one of those it wants. of: likewise the place of
-- each item's group. An item counts that every offer had, so that nobody is asked for what was left out or came later.
create function hub.offer(s int, p text, keys bytea[], raters int[], had int[], people text[], counts boolean[],
                          of int[], items bytea[]) returns int
  security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' language plpgsql as $$
declare n int; last int; groups int[];
begin
  if hub.kind(s) is distinct from 'lead' then raise exception 'only a lead offers work' using errcode = 'insufficient_privilege'; end if;
  perform hub.lock(s);
  insert into hub.annotator (study, key) select distinct s, w from unnest(people) w
    where not exists (select from hub.annotator a where a.study = s and a.key = w);
  select coalesce(max(grp), 0) into last from hub.grp where study = s;
  insert into hub.grp (study, grp, wanted, protocol, key)
    select s, last + i, r, p, k from unnest(keys, raters) with ordinality g(k, r, i) where r > 0
    on conflict (study, protocol, key) do nothing;
  get diagnostics n = row_count;
  select array_agg(grp) into groups from hub.grp where study = s and protocol = p and key = any (keys);
  perform from hub.grp where study = s and grp = any (groups) order by grp for update;
  with said as (select q.grp, a.id, w.c from unnest(had, people, counts) w(i, name, c)
      join unnest(keys) with ordinality g(k, i) on g.i = w.i join hub.grp q on q.study = s and q.protocol = p and q.key = g.k
      join hub.annotator a on a.study = s and a.key = w.name),
    barred as (insert into hub.barred select s, grp, id, false from said where not c on conflict do nothing)
    insert into hub.lease (study, grp, annotator, state, until) select s, w.grp, w.id, 'd', clock_timestamp() from said w
      where w.c and not exists (select from hub.barred b where b.study = s and b.annotator = w.id and b.grp = w.grp)
      on conflict (study, grp, annotator) do nothing;
  with said as (select i, array_agg(x) now from unnest(of, items) u(i, x) group by i)
  update hub.grp q set wanted = g.r,
      items = coalesce(nullif(array(select unnest(q.items) intersect select unnest(said.now)), '{}'), said.now, q.items)
    from unnest(keys, raters) with ordinality g(k, r, i) left join said using (i) where q.study = s and q.protocol = p and q.key = g.k;
  perform hub.reckon(s, groups);
  return n;
end$$;
-- Groups whose answers are known, each for the person at its place; which share of the work they are, and how many are new.
create function hub.mix(s int, p text, share float8, people text[], keys bytea[]) returns int
  security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' language plpgsql as $$
declare n int; last int;
begin
  if hub.kind(s) is distinct from 'lead' then raise exception 'only a lead gives controls' using errcode = 'insufficient_privilege'; end if;
  perform hub.lock(s);
  select coalesce(max(grp), 0) into last from hub.grp where study = s;
  insert into hub.grp (study, grp, wanted, protocol, key)
    select s, last + row_number() over (), 0, p, k from (select distinct unnest(keys) k) g
    on conflict (study, protocol, key) do nothing;
  insert into hub.barred select distinct s, q.grp, a.id, true from unnest(people, keys) g(name, k)
      join hub.grp q on q.study = s and q.protocol = p and q.key = g.k join hub.annotator a on a.study = s and a.key = g.name
    on conflict (study, annotator, grp) do update set is_control = true where not hub.barred.is_control;
  get diagnostics n = row_count;
  insert into hub.mixed values (s, p, mix.share) on conflict on constraint mixed_pkey do update set share = excluded.share;
  return n;
end$$;
-- What somebody holds goes to others, such as when she has left.
create function hub.release(s int, person text) returns int
  security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' language plpgsql as $$
declare groups int[];
begin
  if hub.kind(s) is distinct from 'lead' then raise exception 'only a lead takes work back' using errcode = 'insufficient_privilege'; end if;
  with hers as (select l.grp, l.annotator from hub.lease l join hub.annotator a on a.id = l.annotator
      where l.study = s and a.study = s and a.key = person and l.state = 'h' order by l.grp for update of l),
    ended as (update hub.lease l set state = 'e' from hers h
      where l.study = s and l.grp = h.grp and l.annotator = h.annotator returning l.grp, l.beside)
    select array_agg(grp) filter (where beside is null) into groups from ended;
  perform hub.reckon(s, groups);
  return coalesce(cardinality(groups), 0);
end$$;
do $$declare f text; begin
  for f in select p.oid::regprocedure from pg_proc p where pronamespace = 'hub'::regnamespace and proowner = current_user::regrole loop
    execute format('revoke all on function %s from public', f);
    if f not like 'hub.reckon(%' then execute format('grant execute on function %s to %I', f, replace(current_user, '_gate', '_member')); end if;
  end loop; end$$;

set local role {owner};
revoke create on schema hub from {gate}, {inviter};
-- The study and its lead: whoever runs this.
with s as (insert into hub.study (key, name) values (decode('{study}', 'hex'), 'study') returning id),
  t as (insert into hub.turn select id from s),
  a as (insert into hub.annotator (study, key) select id, convert_from(decode('{lead}', 'hex'), 'utf8') from s returning id, study)
  insert into hub.member select study, session_user, id, 'lead' from a;
reset role;
grant {member}, {reader} to current_user;
commit;
