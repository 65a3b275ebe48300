-- Whoever changes what is handed out has the study's turn, as who sends has it: an open transaction of one member keeps work from others
-- no longer than it keeps them from sending. And leads see whose transactions stay open. Run by the login that made the hub.
begin;
set local role {owner};
grant create on schema hub to {gate}, {inviter};
set local role {gate};
do $$declare f text; was text[]; begin
  foreach was slice 1 in array array[
    -- As many as a file takes ahead, where each group is one item.
    ['take(int, text, int, bigint)', 'least(want, 500)', 'least(want, 240)'],
    ['take(int, text, int, bigint)', 'perform from hub.annotator where id = a for no key update;', 'perform hub.lock(s);'],
    ['settle(int, text, bytea[], boolean)', 'perform from hub.annotator where id = a for no key update;', 'perform hub.lock(s);'],
    ['release(int, text)', 'with hers as', 'perform hub.lock(s);' || chr(10) || '  with hers as'],
    ['reopen(int, text, text)', 'with hers as', 'perform hub.lock(s);' || chr(10) || '  with hers as']] loop
    f := pg_get_functiondef(('hub.' || was[1])::regprocedure);
    if position(was[2] in f) = 0 then raise exception 'the function hub.% is another one than that of the hub', was[1]; end if;
    execute replace(f, was[2], was[3]);
  end loop;
end$$;
set local role {inviter};
-- Ends who holds a study from all others for longer than five seconds, but for the login that made the hub. Who had to wait took the turn
-- within a subtransaction, whose number is nobody's lock: so the holder is who has locked rows of hub.turn and waits for none.
create or replace function hub.evict(s int) returns void security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
begin
  perform pg_terminate_backend(a.pid) from pg_stat_activity a
    where a.pid <> pg_backend_pid() and a.backend_xid is not null and a.xact_start < clock_timestamp() - interval '5s'
      and starts_with(a.usename, replace(current_user, '_inviter', '_'))
      and exists (select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
        where l.pid = a.pid and l.relation = 'hub.turn'::regclass and l.mode = 'RowShareLock')
      and not exists (select from pg_locks l where l.pid = a.pid and not l.granted);
end$$;
-- The logins whose transactions are open for longer than five seconds, and since when: no haymark's stays open.
create function hub.lasting() returns table (login name, since timestamptz) stable security definer set search_path = pg_catalog, pg_temp
  language sql as $$
  select usename, min(xact_start) from pg_stat_activity where datname = current_database()
    and starts_with(usename, replace(current_user, '_inviter', '_')) and xact_start < clock_timestamp() - interval '5s' group by 1$$;
revoke all on function hub.lasting() from public;
grant execute on function hub.lasting() to {reader};
set local role {owner};
revoke create on schema hub from {gate}, {inviter};
update hub.meta set value = value::int + 1 where key = 'schema';
commit;
