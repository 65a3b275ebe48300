-- How much a member may send, and whether the server has room for connections that stay open.
begin;
set local role {owner};
alter table hub.member
  add sent bigint not null default 0,              -- bytes that the member's events take, with what the server adds to each
  add most bigint not null default 268435456;      -- how many these may be; holds for annotators
-- All that comes in at once is weighed at once, whichever function brings it.
create function hub.weigh() returns trigger security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
declare n bigint; longest int; s int; bound bigint;
begin
  select sum(octet_length(body) + 250), max(octet_length(body)), min(study) into n, longest, s from fresh;
  if longest > 1048576 then raise exception 'an event has at most 1048576 bytes' using errcode = 'program_limit_exceeded'; end if;
  update hub.member set sent = sent + n where study = s and login = session_user and kind = 'annotator' and sent + n <= most;
  if found then return null; end if;
  select most into bound from hub.member where study = s and login = session_user and kind = 'annotator';
  if found then raise exception 'you may send % MB, and this would be more; the lead allows more by "haymark hub limit"', bound >> 20
    using errcode = 'program_limit_exceeded'; end if;
  return null;
end$$;
create trigger weigh after insert on hub.event referencing new table as fresh for each statement execute function hub.weigh();
create function hub.limit_to(s int, person text, bytes bigint) returns boolean
  security definer set search_path = pg_catalog, pg_temp language plpgsql as $$
begin
  if hub.kind(s) is distinct from 'lead' then raise exception 'only a lead says how much somebody may send' using errcode = 'insufficient_privilege'; end if;
  update hub.member m set most = bytes from hub.annotator a where m.study = s and a.id = m.annotator and a.key = person;
  return found;
end$$;
-- Fewer than a quarter of the connections are in use, so three quarters go round among those who keep none.
create function hub.has_room() returns boolean stable security definer set search_path = pg_catalog, pg_temp language sql as
  'select 4 * sum(pg_stat_get_db_numbackends(oid)) < current_setting(''max_connections'')::int from pg_database';
revoke all on function hub.weigh(), hub.limit_to(int, text, bigint), hub.has_room() from public;
grant execute on function hub.limit_to(int, text, bigint), hub.has_room() to {member};
update hub.meta set value = value::int + 1 where key = 'schema';
commit;
