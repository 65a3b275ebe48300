-- Giving work back tells nobody which of it was a control. Run by the login that made the hub.
begin;
-- Every function asks first who somebody is: nobody is in the middle of anything, and nobody begins.
lock table hub.member in access exclusive mode;
set local role {owner};
grant create on schema hub to {gate};
set local role {gate};
-- As before, but for controls.
create or replace function hub.take(s int, p text, want int, hold bigint) returns table (key bytea, until bigint)
  security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' language plpgsql as $$
#variable_conflict use_column
declare a int := hub.me(s); groups int[]; waiting int[]; k int; last bigint; stretch float8; given int; mixed int; due int := 0;
  now_at timestamptz := clock_timestamp();
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
  -- What nobody works on any more goes to others, and a control does not come again either.
  with gone as (select l.grp, l.annotator from hub.lease l where l.study = s and l.state = 'h' and l.until < now_at
      and l.annotator <> a order by l.grp limit 200 for update skip locked),
    ended as (update hub.lease l set state = case when l.rank is null then 'e' else 'r' end::"char" from gone g
      where l.study = s and l.grp = g.grp and l.annotator = g.annotator returning l.grp)
    select array_agg(grp) into groups from ended;
  perform hub.reckon(s, groups);
  select array_agg(f.grp order by f.rank) into groups from (select q.grp, q.rank from hub.grp q
    where q.study = s and q.protocol = p and q.open > 0
      and not exists (select from hub.lease l where l.study = s and l.grp = q.grp and l.annotator = a and l.state <> 'e')
    order by q.rank limit greatest(least(want, 500) - k, 0) for update of q skip locked) f;
  -- Controls stand in the places of work, one in each stretch, at a place that nobody can foretell. What was ever given counts,
  -- whatever became of it: so neither how much comes, nor what comes for what is given back, tells which is which.
  select (1 + share) / share into stretch from hub.mixed where study = s and protocol = p and share > 0;
  if found and groups is not null then
    select count(*) filter (where l.until > l.since), count(l.rank) filter (where l.until > l.since),
        array_agg(l.grp order by random()) filter (where l.state = 'w') into given, mixed, waiting
      from hub.lease l join hub.grp q using (study, grp) where l.study = s and l.annotator = a and q.protocol = p;
    for place in given + 1 .. given + cardinality(groups) loop
      exit when due = coalesce(cardinality(waiting), 0);
      if place > (mixed + due) * stretch and random() * (floor((mixed + due + 1) * stretch) - place + 1) < 1 then due := due + 1; end if;
    end loop;
    update hub.lease l set state = 'h', until = limit_at, since = now_at,
        rank = (select q.rank from hub.grp q where q.study = s and q.grp = groups[1 + l.grp % cardinality(groups)])
      where l.study = s and l.annotator = a and l.grp = any (waiting[1:due]);
    groups := groups[1:cardinality(groups) - due];
  end if;
  insert into hub.lease (study, grp, annotator, state, until) select s, g, a, 'h', limit_at from unnest(groups) g
    on conflict (study, grp, annotator) do update set state = 'h', until = excluded.until, since = clock_timestamp();
  perform hub.reckon(s, groups);
  return query select q.key, hub.micros(l.until) from hub.lease l join hub.grp q using (study, grp)
    where l.study = s and l.annotator = a and l.state = 'h' and q.protocol = p order by coalesce(l.rank, q.rank), md5(q.key);
end$$;
set local role {owner};
revoke create on schema hub from {gate};
update hub.meta set value = value::int + 1 where key = 'schema';
commit;
