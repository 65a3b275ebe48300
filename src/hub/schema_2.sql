-- What a name is bound to, what is hidden from annotators, and work that is done when it is judged. Run by the login that made the hub.
begin;
-- Every function asks first who somebody is: nobody is in the middle of anything, and nobody begins.
lock table hub.member in access exclusive mode;
set local role {owner};
grant create on schema hub to {gate}, {inviter};
update hub.meta set value = '2' where key = 'schema';
-- The oldest haymark, by the tables that it knows, that this hub serves; and whether annotators get aliases for systems.
insert into hub.meta values ('oldest', '1'), ('systems',
  case when '{systems}' = 'hidden' or exists (select from hub.record where kind = 'secret') then 'hidden' else 'shown' end);

-- Whose an opening of a file is, from its first use; nobody's name: the leads'. Names below 0 follow from what is said and by whom.
create table hub.writer (
  writer bigint not null, study int not null references hub.study, annotator int references hub.annotator, primary key (study, writer));
insert into hub.writer (study, writer, annotator)
  select distinct on (study, writer) study, writer, case when journal in ('e', 's') then annotator end
  from hub.event where writer > 0 order by study, writer, pos;
alter table hub.writer enable row level security;
create policy see on hub.writer for select to {gate} using (study in (select study from hub.studies()));
create policy first on hub.writer for insert to {gate} with check (
  study in (select study from hub.studies() where kind = 'lead')
  or (study, annotator) in (select study, annotator from hub.studies() where kind = 'annotator'));
grant select, insert on hub.writer to {gate};
-- An event's name is its own annotator's: whether somebody else has the same is told to nobody.
alter table hub.event drop constraint event_pkey, add primary key (writer, seq, study, annotator);
-- Whether the hub's logins, which belong to the whole server, are those of this database: a copy beside the hub has none.
create function hub.has_logins() returns boolean stable security definer set search_path = pg_catalog, pg_temp
  language sql as 'select shobj_description(''{owner}''::regrole, ''pg_authid'')
    = ''haymark hub in database '' || (select oid from pg_database where datname = current_database())';
revoke all on function hub.has_logins() from public;
grant execute on function hub.has_logins() to {inviter}, {reader};
create index event_of_item on hub.event (item, annotator) where item is not null;
-- Whether who asks has judged an item.
create function hub.judged(s int, of bytea) returns boolean stable security definer set search_path = pg_catalog, pg_temp
  language sql as 'select exists (select from hub.event e where e.item = of and e.annotator = hub.me(s) and e.study = s and e.journal = ''e'')';
revoke all on function hub.judged(int, bytea) from public;
grant execute on function hub.judged(int, bytea) to {gate}, {member};
-- A: an assignment as leads have it; C: one whose known answer is told once the item is judged; a: what an annotator gets of either.
alter policy see on hub.event using (
  study in (select study from hub.studies() where kind <> 'annotator')
  or annotator in (select annotator from hub.studies())
     and (journal not in ('A', 'C') or journal = 'C' and hub.judged(study, item)));

alter table hub.grp add column items bytea[];          -- the keys of its items, as far as each offer had them; null where none said
alter table hub.lease add column since timestamptz not null default clock_timestamp(),   -- given, or held for longer
  add column rank int,                                 -- a control's place among the work; null for work
  drop constraint lease_state_check,
  add constraint lease_state_check check (state in ('h', 'e', 'd', 'r', 'w'));           -- and w: a control that waits to be mixed in
create table hub.mixed (                               -- controls of a protocol, as a share of what each is given
  study int not null references hub.study, protocol text not null, share float8 not null, primary key (study, protocol));
alter table hub.mixed enable row level security;
create policy work on hub.mixed to {gate} using (study in (select study from hub.studies() where kind <> 'observer'))
  with check (study in (select study from hub.studies() where kind = 'lead'));
grant select, insert, update (share) on hub.mixed to {gate};
grant update (items) on hub.grp to {gate};
grant update (since, rank) on hub.lease to {gate};

-- Ends who holds a study from all others for longer than five seconds, but for the login that made the hub.
set local role {inviter};
create function hub.evict(s int) returns void security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
begin
  perform pg_terminate_backend(a.pid) from hub.study t
    join pg_locks l on l.locktype = 'transactionid' and l.transactionid = t.xmax and l.granted
    join pg_stat_activity a on a.pid = l.pid and a.xact_start < clock_timestamp() - interval '5s'
    where t.id = s and starts_with(a.usename, replace(current_user, '_inviter', '_'));
end$$;
revoke all on function hub.evict(int) from public;
grant execute on function hub.evict(int) to {gate};
do $$declare l text; begin                             -- to end what somebody does takes being one of hers
  for l in select distinct login from hub.member where starts_with(login, 'hm_{hub}_') loop execute format('grant %I to {inviter}', l); end loop; end$$;
create or replace function hub.invite(s int, person text, as_kind text, verifier text) returns text
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
    execute format('alter role %I login password %L', l, verifier);
  else  -- inherit must be said here: from 16 on it is a property of the membership, fixed when it is granted
    execute format('create role %I login inherit nocreatedb nocreaterole connection limit 20 password %L in role %I', l, verifier, h || '_member');
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
create or replace function hub.remove(s int, person text) returns boolean
  security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
declare l text; found boolean := false; h text := (select substr(current_user, 1, length(current_user) - length('_inviter')));
begin
  if hub.kind(s) is distinct from 'lead' then raise exception 'only a lead removes' using errcode = 'insufficient_privilege'; end if;
  for l in update hub.member m set removed = now() from hub.annotator a where m.study = s and a.study = s and a.key = person
           and m.annotator = a.id and m.removed is null and m.login <> session_user returning m.login loop
    found := true;
    -- The login with which the hub was made is not the hub's to change, and a copy's logins are those of the hub.
    if l like h || '\_%' and hub.has_logins() and not exists (select from hub.member where login = l and removed is null) then
      execute format('alter role %I nologin', l); end if;
  end loop;
  return found;                                                -- open connections: every function and policy refuses from now on
end$$;

set local role {gate};
-- The head, and nobody else gives out positions until this transaction ends. Who finds it held for too long ends that; who waits too
-- long herself asks again. (No exception is caught here: a lock within one would be another transaction's.)
create function hub.lock(s int) returns bigint security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s'
  language plpgsql as $$
declare h bigint;
begin
  select head into h from hub.study where id = s for no key update skip locked;
  if not found then
    perform hub.evict(s);
    select head into h from hub.study where id = s for no key update;
  end if;
  return h;
end$$;
-- One call, one round trip, one transaction. Gives the head, and the places from 1 of what the hub will not have; all else is in.
-- Sending the same again changes nothing. persons: the place of each event's annotator in people, from 1.
create function hub.bring(s int, writers bigint[], seqs bigint[], people text[], persons int[], journals bytea, ats bigint[],
                          items bytea[], bodies bytea[]) returns table (head bigint, refused int[])
  security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
#variable_conflict use_column
declare h bigint; n bigint := 0; ids int[]; bad int[] := '{}'; k text := hub.kind(s); me int := hub.me(s);
begin
  if k is null then raise exception 'you have no rights to this study, or no longer' using errcode = 'insufficient_privilege'; end if;
  if k = 'observer' then raise exception 'an observer sends nothing' using errcode = 'insufficient_privilege'; end if;
  if cardinality(writers) > 10000 then raise exception 'at most 10000 events a call'; end if;
  if k = 'lead' then
    insert into hub.annotator (study, key) select s, p from unnest(people) p
      where not exists (select from hub.annotator a where a.study = s and a.key = p) on conflict do nothing;
  end if;
  select array_agg(a.id order by i) into ids
    from unnest(people) with ordinality g(p, i) left join hub.annotator a on a.study = s and a.key = p;
  if k <> 'lead' then                                         -- an annotator sends judgments and sessions by herself
    select coalesce(array_agg(i), '{}') into bad from unnest(persons) with ordinality g(a, i)
      where ids[a] is distinct from me or get_byte(journals, i::int - 1) not in (101, 115);
  end if;
  select st.head into h from hub.study st where st.id = s;
  -- Who has nothing new waits for nobody, and nobody for her.
  if exists (select from unnest(writers, seqs, persons) with ordinality g(w, q, a, i) where not i = any (bad) and
      (select e.pos from hub.event e where e.writer = w and e.seq = q and e.study = s and e.annotator = ids[a]) is null) then
    h := hub.lock(s);                                         -- orders commits: positions become visible in order
    insert into hub.writer (study, writer, annotator)
      select distinct on (w) s, w, case when get_byte(journals, i::int - 1) in (101, 115) then ids[a] end
      from unnest(writers, persons) with ordinality g(w, a, i) where w > 0 and not i = any (bad) order by w, i on conflict do nothing;
    if k <> 'lead' then
      select bad || coalesce(array_agg(i::int), '{}') into bad from unnest(writers) with ordinality g(w, i)
        join hub.writer t on t.study = s and t.writer = w where w > 0 and t.annotator is distinct from me;
    end if;
    with given as (
      select w, q, ids[a] a, chr(get_byte(journals, i::int - 1))::"char" j, t, it, b, i   -- substr on text would be quadratic
      from unnest(writers, seqs, persons, ats, items, bodies) with ordinality g(w, q, a, t, it, b, i) where not i = any (bad)),
    fresh as (
      insert into hub.event (pos, writer, at, received, seq, study, annotator, journal, item, body)
      select h + row_number() over (order by i), w, t, clock.now, q, s, a, j, it, b
      from (select distinct on (w, q, a) * from given order by w, q, a, i) g, (select hub.micros(clock_timestamp()) now) clock
      -- A question a row, so that no plan made while there were few events reads all of them for each call.
      where (select e.pos from hub.event e where e.writer = w and e.seq = q and e.study = s and e.annotator = a) is null
      returning 1)
    select count(*) into n from fresh;
    if n > 0 then update hub.study set head = h + n where id = s; end if;
  end if;
  head := h + n; refused := '{}';
  if n < cardinality(writers) then                            -- some were here: they must be the same
    select coalesce(array_agg(i::int order by i), '{}') into refused from unnest(writers, seqs, persons, bodies) with ordinality g(w, q, a, b, i)
      where i = any (bad) or (select e.body = b from hub.event e
        where e.writer = w and e.seq = q and e.study = s and e.annotator = ids[a]) is not true;
  end if;
  return next;
end$$;
-- What a haymark of step 1 calls: it would send assignments with all that annotators must not see.
create or replace function hub.send(s int, writers bigint[], seqs bigint[], people text[], persons int[], journals bytea, ats bigint[],
                                    items bytea[], bodies bytea[]) returns bigint
  security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
begin
  if position('\x61'::bytea in journals) > 0 then
    raise exception 'assignments are sent by a newer haymark' using errcode = 'insufficient_privilege'; end if;
  return (select head from hub.bring(s, writers, seqs, people, persons, journals, ats, items, bodies));
end$$;
create or replace function hub.fetch(s int, p bigint, m bigint, lim int)
  returns table (rewound boolean, pos bigint, received bigint, kind text, audience "char", writer bigint,
                 seq bigint, annotator text, journal "char", at bigint, item bytea, key bytea, body bytea)
  stable security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
declare h bigint; me int; k text := hub.kind(s);
begin
  select st.head into h from hub.study st where st.id = s;
  if h is null then raise exception 'you have no rights to this study, or no longer' using errcode = 'insufficient_privilege'; end if;
  rewound := not hub.same(s, p, m); pos := h; received := hub.mark(s, h);
  return next;
  if rewound or h = p then return; end if;
  if k = 'annotator' then                                     -- the same but for one condition: by the index of her own
  me := hub.me(s);
  return query select false, x.* from (
    (select e.pos, e.received, null::text, null::"char", e.writer, e.seq, a.key,
       case when e.journal in ('A', 'C') then 'a' else e.journal end::"char", e.at, e.item, null::bytea, e.body
     from hub.event e join hub.annotator a on a.id = e.annotator
     where e.study = s and e.annotator = me and e.pos > p and e.pos <= h order by e.pos limit lim)
    union all
    (select r.pos, r.received, r.kind, r.audience, null, null, null, null, null, null, r.key, r.body
     from hub.record r where r.study = s and r.pos > p and r.pos <= h order by r.pos limit lim)) x order by x.pos limit lim;
  else
  return query select false, x.* from (
    (select e.pos, e.received, null::text, null::"char", e.writer, e.seq, a.key,
       case when e.journal in ('A', 'C') then 'a' else e.journal end::"char", e.at, e.item, null::bytea, e.body
     from hub.event e join hub.annotator a on a.id = e.annotator
     where e.study = s and e.pos > p and e.pos <= h order by e.pos limit lim)
    union all
    (select r.pos, r.received, r.kind, r.audience, null, null, null, null, null, null, r.key, r.body
     from hub.record r where r.study = s and r.pos > p and r.pos <= h order by r.pos limit lim)) x order by x.pos limit lim;
  end if;
end$$;
-- The known answers for items that who asks has judged, as rows of fetch.
create function hub.told(s int, items bytea[])
  returns table (rewound boolean, pos bigint, received bigint, kind text, audience "char", writer bigint,
                 seq bigint, annotator text, journal "char", at bigint, item bytea, key bytea, body bytea)
  stable security definer set search_path = pg_catalog, pg_temp language sql as
  'select false, e.pos, e.received, null::text, null::"char", e.writer, e.seq, a.key, ''a''::"char", e.at, e.item, null::bytea, e.body
   from unnest(items) i join hub.event e on e.item = i and e.annotator = hub.me(s) join hub.annotator a on a.id = e.annotator
   where e.study = s and e.journal = ''C'' and hub.judged(s, i) order by e.pos';
create or replace function hub.put(s int, audiences bytea, kinds text[], keys bytea[], bodies bytea[]) returns bigint
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
    if n > 0 then update hub.study set head = h + n where id = s; end if;
  end if;
  return h + n;
end$$;
-- Controls come on top: they are none of those by whom a group is wanted.
create or replace function hub.reckon(s int, groups int[]) returns void
  security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
begin
  perform from hub.grp where study = s and grp = any (groups) order by grp for update;
  update hub.grp q set open = greatest(q.wanted - (select count(*) from hub.lease l where l.study = s and l.grp = q.grp
    and l.state in ('h', 'd') and l.rank is null), 0) where q.study = s and q.grp = any (groups);
end$$;
create or replace function hub.take(s int, p text, want int, hold bigint) returns table (key bytea, until bigint)
  security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' language plpgsql as $$
#variable_conflict use_column
declare a int := hub.me(s); groups int[]; k int; last bigint; due int; now_at timestamptz := clock_timestamp();
  limit_at timestamptz := now_at + least(make_interval(secs => hold), interval '1 day');
begin
  if a is null or hub.kind(s) = 'observer' then
    raise exception 'only annotators and leads take work' using errcode = 'insufficient_privilege'; end if;
  -- One at a time per person: two machines of one person must not be given one group twice.
  perform from hub.annotator where id = a for no key update;
  select count(*) into k from hub.lease l join hub.grp q using (study, grp)
    where l.study = s and l.annotator = a and l.state = 'h' and q.protocol = p;
  -- Held for longer where something of hers came in since: asking alone holds nothing.
  select e.received into last from hub.event e where e.study = s and e.annotator = a and e.journal in ('e', 's') order by e.pos desc limit 1;
  update hub.lease l set until = limit_at, since = now_at from hub.grp q where l.study = s and l.annotator = a and l.state = 'h'
    and q.study = s and q.grp = l.grp and q.protocol = p and last >= hub.micros(l.since);
  -- What nobody works on any more goes to others.
  with gone as (select l.grp, l.annotator from hub.lease l where l.study = s and l.state = 'h' and l.until < now_at
      and l.annotator <> a order by l.grp limit 200 for update skip locked),
    ended as (update hub.lease l set state = case when l.rank is null then 'e' else 'w' end::"char" from gone g
      where l.study = s and l.grp = g.grp and l.annotator = g.annotator returning l.grp)
    select array_agg(grp) into groups from ended;
  perform hub.reckon(s, groups);
  with free as (select q.grp from hub.grp q where q.study = s and q.protocol = p and q.open > 0
      and not exists (select from hub.lease l where l.study = s and l.grp = q.grp and l.annotator = a and l.state <> 'e')
      order by q.rank limit greatest(least(want, 500) - k, 0) for update of q skip locked),
    taken as (insert into hub.lease (study, grp, annotator, state, until) select s, grp, a, 'h', limit_at from free
      on conflict (study, grp, annotator) do update set state = 'h', until = excluded.until, since = clock_timestamp() returning grp)
    select array_agg(grp) into groups from taken;
  perform hub.reckon(s, groups);
  -- Controls among what is new, in their share of what she was given, where nothing tells them from it.
  select round(coalesce((select share from hub.mixed where study = s and protocol = p), 0)
      * count(*) filter (where l.rank is null)) - count(*) filter (where l.rank is not null) into due
    from hub.lease l join hub.grp q using (study, grp)
    where l.study = s and l.annotator = a and l.state in ('h', 'd') and q.protocol = p;
  if due > 0 and groups is not null then
    update hub.lease l set state = 'h', until = limit_at, since = now_at,
        rank = (select q.rank from hub.grp q where q.study = s and q.grp = groups[1 + l.grp % cardinality(groups)])
      where l.study = s and l.annotator = a and l.grp in (select l.grp from hub.lease l join hub.grp q using (study, grp)
        where l.study = s and l.annotator = a and l.state = 'w' and q.protocol = p order by md5(q.key) limit due);
  end if;
  return query select q.key, hub.micros(l.until) from hub.lease l join hub.grp q using (study, grp)
    where l.study = s and l.annotator = a and l.state = 'h' and q.protocol = p order by coalesce(l.rank, q.rank), md5(q.key);
end$$;
-- Done, which is what she has judged whole, or given back. A late answer counts, also where the lease has ended or a restored hub
-- knows of none.
create or replace function hub.settle(s int, p text, keys bytea[], done boolean) returns int
  security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' language plpgsql as $$
declare a int := hub.me(s); groups int[];
begin
  if a is null or hub.kind(s) = 'observer' then
    raise exception 'only annotators and leads settle work' using errcode = 'insufficient_privilege'; end if;
  perform from hub.annotator where id = a for no key update;
  with named as (select q.grp from hub.grp q where q.study = s and q.protocol = p and q.key = any (keys)
      and not (done and exists (select from unnest(q.items) i where not hub.judged(s, i)))),
    settled as (insert into hub.lease (study, grp, annotator, state, until)
      select s, grp, a, case when done then 'd' else 'r' end::"char", clock_timestamp() from named order by grp
      on conflict (study, grp, annotator) do update set state = excluded.state where hub.lease.state <> 'd' returning grp)
    select array_agg(grp) into groups from settled;
  perform hub.reckon(s, groups);
  return coalesce(cardinality(groups), 0);
end$$;
-- had: the place of a group in keys, from 1, by whom it is had, and whether that is one of those it wants. of: likewise the place of
-- each item's group. An item counts that every offer had, so that nobody is asked for what was left out or came later.
create function hub.offer(s int, p text, keys bytea[], raters int[], had int[], people text[], counts boolean[],
                          of int[], items bytea[]) returns int
  security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
declare n int; last int; groups int[];
begin
  if hub.kind(s) is distinct from 'lead' then raise exception 'only a lead offers work' using errcode = 'insufficient_privilege'; end if;
  perform hub.lock(s);
  insert into hub.annotator (study, key) select distinct s, w from unnest(people) w
    where not exists (select from hub.annotator a where a.study = s and a.key = w);
  select coalesce(max(grp), 0) into last from hub.grp where study = s;
  insert into hub.grp (study, grp, rank, wanted, open, protocol, key)
    select s, last + i, last + i, r, 0, p, k from unnest(keys, raters) with ordinality g(k, r, i) where r > 0
    on conflict (study, protocol, key) do nothing;
  get diagnostics n = row_count;
  select array_agg(grp) into groups from hub.grp where study = s and protocol = p and key = any (keys);
  perform from hub.grp where study = s and grp = any (groups) order by grp for update;
  insert into hub.lease (study, grp, annotator, state, until)
    select s, q.grp, a.id, case when w.c then 'd' else 'r' end::"char", clock_timestamp() from unnest(had, people, counts) w(i, name, c)
      join unnest(keys) with ordinality g(k, i) on g.i = w.i join hub.grp q on q.study = s and q.protocol = p and q.key = g.k
      join hub.annotator a on a.study = s and a.key = w.name
    on conflict (study, grp, annotator) do nothing;
  with said as (select i, array_agg(x) now from unnest(of, items) u(i, x) group by i)
  update hub.grp q set wanted = g.r,
      items = coalesce(nullif(array(select unnest(q.items) intersect select unnest(said.now)), '{}'), said.now, q.items)
    from unnest(keys, raters) with ordinality g(k, r, i) left join said using (i) where q.study = s and q.protocol = p and q.key = g.k;
  perform hub.reckon(s, groups);
  return n;
end$$;
create or replace function hub.offer(s int, p text, keys bytea[], raters int[], had int[], people text[], counts boolean[]) returns int
  security definer set search_path = pg_catalog, pg_temp language sql as
  'select hub.offer(s, p, keys, raters, had, people, counts, array[]::int[], array[]::bytea[])';
-- Groups whose answers are known, each for the person at its place; which share of the work they are, and how many are new.
create function hub.mix(s int, p text, share float8, people text[], keys bytea[]) returns int
  security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
declare n int; last int;
begin
  if hub.kind(s) is distinct from 'lead' then raise exception 'only a lead gives controls' using errcode = 'insufficient_privilege'; end if;
  perform hub.lock(s);
  select coalesce(max(grp), 0) into last from hub.grp where study = s;
  insert into hub.grp (study, grp, rank, wanted, open, protocol, key)
    select s, last + row_number() over (), last + row_number() over (), 0, 0, p, k from (select distinct unnest(keys) k) g
    on conflict (study, protocol, key) do nothing;
  insert into hub.lease (study, grp, annotator, state, until, rank)
    select distinct s, q.grp, a.id, 'w'::"char", clock_timestamp(), 0 from unnest(people, keys) g(name, k)
      join hub.grp q on q.study = s and q.protocol = p and q.key = g.k join hub.annotator a on a.study = s and a.key = g.name
    on conflict (study, grp, annotator) do update set state = 'w', rank = 0 where hub.lease.state = 'r' and hub.lease.rank is null;
  get diagnostics n = row_count;
  insert into hub.mixed values (s, p, mix.share) on conflict on constraint mixed_pkey do update set share = excluded.share;
  return n;
end$$;
create or replace function hub.release(s int, person text) returns int
  security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
declare groups int[];
begin
  if hub.kind(s) is distinct from 'lead' then raise exception 'only a lead takes work back' using errcode = 'insufficient_privilege'; end if;
  with hers as (select l.grp, l.annotator from hub.lease l join hub.annotator a on a.id = l.annotator
      where l.study = s and a.study = s and a.key = person and l.state = 'h' order by l.grp for update of l),
    ended as (update hub.lease l set state = case when l.rank is null then 'e' else 'w' end::"char" from hers h
      where l.study = s and l.grp = h.grp and l.annotator = h.annotator returning l.grp, l.rank)
    select array_agg(grp) filter (where rank is null) into groups from ended;
  perform hub.reckon(s, groups);
  return coalesce(cardinality(groups), 0);
end$$;
-- What somebody holds or has done of a protocol is wanted of others again, and does not go to her.
create function hub.reopen(s int, p text, person text) returns int
  security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
declare groups int[];
begin
  if hub.kind(s) is distinct from 'lead' then raise exception 'only a lead takes work back' using errcode = 'insufficient_privilege'; end if;
  with hers as (select l.grp, l.annotator from hub.lease l join hub.annotator a on a.id = l.annotator join hub.grp q on q.study = s and q.grp = l.grp
      where l.study = s and a.study = s and a.key = person and q.protocol = p and l.state in ('h', 'd') and l.rank is null
      order by l.grp for update of l),
    ended as (update hub.lease l set state = 'r' from hers h where l.study = s and l.grp = h.grp and l.annotator = h.annotator
      returning l.grp)
    select array_agg(grp) into groups from ended;
  perform hub.reckon(s, groups);
  return coalesce(cardinality(groups), 0);
end$$;
do $$declare f text; begin
  for f in select p.oid::regprocedure from pg_proc p where pronamespace = 'hub'::regnamespace and proowner = current_user::regrole loop
    execute format('revoke all on function %s from public', f);
    if f not like 'hub.reckon(%' and f not like 'hub.lock(%' then execute format('grant execute on function %s to %I', f, replace(current_user, '_gate', '_member')); end if;
  end loop; end$$;
reset role;

set local role {owner};
revoke create on schema hub from {gate}, {inviter};
reset role;
commit;
