-- Who waits for the study looks through the server only where it was taken long ago, and an item is judged by an answer, not by a
-- look at it. Run by the login that made the hub.
begin;
-- Every function asks first who somebody is: nobody is in the middle of anything, and nobody begins.
lock table hub.member in access exclusive mode;
set local role {owner};
grant create on schema hub to {gate};
-- When the study was last taken, in microseconds. A sequence tells it to others at once, not when the transaction ends.
create sequence hub.taken;
grant select, update on sequence hub.taken to {gate};
-- Whether who asks has judged an item: by an answer or an import. The kind of an event stands in its first bytes.
create or replace function hub.judged(s int, of bytea) returns boolean stable security definer set search_path = pg_catalog, pg_temp
  language sql as $$select exists (select from hub.event e where e.item = of and e.annotator = hub.me(s) and e.study = s
    and e.journal = 'e' and (substr(e.body, 1, 3) <> '\x016504'::bytea or substr(e.body, 4, 7) = '\x06'::bytea || 'answer'::bytea))$$;

set local role {gate};
-- As before. With a thousand people somebody nearly always waits, and who runs what is much to read for each of them.
create or replace function hub.lock(s int) returns bigint security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s'
  language plpgsql as $$
declare h bigint;
begin
  select head into h from hub.study where id = s for no key update skip locked;
  if not found then
    if (select last_value from hub.taken) < hub.micros(clock_timestamp() - interval '5s') then perform hub.evict(s); end if;
    select head into h from hub.study where id = s for no key update;
  end if;
  perform setval('hub.taken', hub.micros(clock_timestamp()));
  return h;
end$$;

set local role {owner};
revoke create on schema hub from {gate};
update hub.meta set value = value::int + 1 where key = 'schema';
commit;
