-- Verdicts are the leads', a login has few connections, and what there is room for comes in. Run by the login that made the hub.
begin;
-- Every function asks first who somebody is: nobody is in the middle of anything, and nobody begins.
lock table hub.member in access exclusive mode;
set local role {owner};
grant create on schema hub to {gate}, {inviter};
-- j: what settles a disagreement. Only leads send it, and it counts under no other letter. Older haymarks send it among the
-- judgments, each in the same first bytes; before this step anybody did, so what members who are no leads sent stays there.
create function hub.is_verdict(body bytea) returns boolean immutable set search_path = pg_catalog, pg_temp
  language sql as $$select substr(body, 1, 14) = '\x0165040a'::bytea || 'adjudicate'::bytea$$;
revoke all on function hub.is_verdict(bytea) from public;
grant execute on function hub.is_verdict(bytea) to {gate};
alter table hub.event disable trigger append_only;
update hub.event e set journal = 'j' where journal = 'e' and hub.is_verdict(body)
  and not exists (select from hub.member m where m.study = e.study and m.annotator = e.annotator and m.kind <> 'lead');
alter table hub.event enable trigger append_only;

set local role {gate};
drop function hub.bring(int, bigint[], bigint[], text[], int[], bytea, bigint[], bytea[], bytea[]);
-- As before. What a member may send no more of is among what is refused: surplus of these, and most is how many bytes she may send.
create function hub.bring(s int, writers bigint[], seqs bigint[], people text[], persons int[], journals bytea, ats bigint[],
                          items bytea[], bodies bytea[]) returns table (head bigint, refused int[], surplus int, most bigint)
  security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
#variable_conflict use_column
declare h bigint; n bigint := 0; ids int[]; bad int[] := '{}'; k text := hub.kind(s); me int := hub.me(s); room bigint; i int; size bigint;
begin
  surplus := 0;
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
      select distinct on (w) s, w, case when get_byte(journals, i::int - 1) in (101, 106, 115) then ids[a] end
      from unnest(writers, persons) with ordinality g(w, a, i) where w > 0 and not i = any (bad) order by w, i on conflict do nothing;
    if k <> 'lead' then
      select bad || coalesce(array_agg(i::int), '{}') into bad from unnest(writers) with ordinality g(w, i)
        join hub.writer t on t.study = s and t.writer = w where w > 0 and t.annotator is distinct from me;
      select m.most, m.most - m.sent into most, room from hub.member m where m.study = s and m.login = session_user;
      -- What is new, in order, as far as there is room; a small one still comes in behind one that is too long.
      if room < (select sum(octet_length(b) + 250) from unnest(bodies) b) then
        for i, size in select g.i, octet_length(b) + 250 from unnest(writers, seqs, bodies) with ordinality g(w, q, b, i)
          where not g.i = any (bad) and (select e.pos from hub.event e
            where e.writer = w and e.seq = q and e.study = s and e.annotator = me) is null order by g.i loop
          if size <= room then room := room - size; else bad := bad || i; surplus := surplus + 1; end if;
        end loop;
      end if;
    end if;
    with given as (
      select w, q, ids[a] a, case when k = 'lead' and get_byte(journals, i::int - 1) = 101 and hub.is_verdict(b) then 'j'
          else chr(get_byte(journals, i::int - 1)) end::"char" j, t, it, b, i   -- substr on text would be quadratic
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
revoke all on function hub.bring(int, bigint[], bigint[], text[], int[], bytea, bigint[], bytea[], bytea[]) from public;
grant execute on function hub.bring(int, bigint[], bigint[], text[], int[], bytea, bigint[], bytea[], bytea[]) to {member};

set local role {inviter};
-- As before, with three connections a login: an open screen, a command, and one to spare.
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
do $$declare l text; begin
  for l in select rolname from pg_roles where rolname ~ '^hm_{hub}_[0-9]+$' and rolconnlimit = 20 loop
    execute format('alter role %I connection limit 3', l); end loop; end$$;

set local role {owner};
revoke create on schema hub from {gate}, {inviter};
update hub.meta set value = value::int + 1 where key = 'schema';
commit;
