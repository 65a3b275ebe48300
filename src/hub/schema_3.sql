-- A call that gives a control leaves the same behind in the server's counts and its log as one that gives work: everybody may look at how
-- many rows were read, which updates wrote to no index, and how long the log is. Run by the login that made the hub.
begin;
set local role {owner};
-- One of beside and alone is null, so all rows have one size. No reference to the group, which would lock a row for a control alone.
alter table hub.lease add alone int generated always as (case when beside is null then 0 end) stored,
  drop constraint lease_study_grp_fkey;
-- The log has what changed of a row, from the first such byte to the last: always from before to behind, whether a place was taken or not.
-- No index has what changes, and pages have room, so no index is written.
alter table hub.grp add before int not null default 0, add held int not null default 0, drop column open;
update hub.grp set held = taken;
alter table hub.grp drop column taken;
alter table hub.grp rename held to taken;
alter table hub.grp set (fillfactor = 70),
  add open int generated always as (greatest(wanted - taken, 0)) stored, add behind int not null default 0;
grant update (taken) on hub.grp to {gate};
create function hub.stir() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as
  $$begin new.before := old.before # 1; new.behind := old.behind # 1; return new; end$$;
revoke all on function hub.stir() from public;
create trigger stir before update on hub.grp for each row execute function hub.stir();
grant create on schema hub to {gate};
set local role {gate};
-- Take reads all groups, since how many she passes before a free one tells what became of those; and a control comes again by the same kind
-- of statement as work.
do $$declare f text := pg_get_functiondef('hub.take(int, text, int, bigint)'::regprocedure); was text[]; begin
  foreach was slice 1 in array array[
    ['order by q.grp limit more', 'order by q.grp + 0 limit more'],
    ['update hub.lease set state = ''h'', until = limit_at, since = now_at where',
     'insert into hub.lease (study, grp, annotator, state, until, beside) select s, grp, a, ''h'', limit_at, beside from hub.lease where'],
    ['from unnest(groups) g);' || chr(10) || '  get diagnostics due',
     'from unnest(groups) g) on conflict (study, grp, annotator) do update set state = ''h'', until = excluded.until, since = clock_timestamp();'
       || chr(10) || '  get diagnostics due']] loop
    if position(was[1] in f) = 0 then raise exception 'the function hub.take is another one than that of the hub'; end if;
    f := replace(f, was[1], was[2]);
  end loop;
  execute f;
end$$;
set local role {owner};
revoke create on schema hub from {gate};
update hub.meta set value = value::int + 1 where key = 'schema';
commit;
