-- A lead has what somebody holds or has judged be judged by others too. Run by the login that made the hub.
begin;
set local role {owner};
grant create on schema hub to {gate};
set local role {gate};
-- What somebody holds or has done of a protocol is wanted of others again, and does not go to her.
create function hub.reopen(s int, p text, person text) returns int
  security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' language plpgsql as $$
declare groups int[];
begin
  if hub.kind(s) is distinct from 'lead' then raise exception 'only a lead takes work back' using errcode = 'insufficient_privilege'; end if;
  with hers as (select l.grp, l.annotator from hub.lease l join hub.annotator a on a.id = l.annotator join hub.grp q on q.study = s and q.grp = l.grp
      where l.study = s and a.study = s and a.key = person and q.protocol = p and l.state in ('h', 'd')
      order by l.grp for update of l),
    ended as (update hub.lease l set state = 'r' from hers h where l.study = s and l.grp = h.grp and l.annotator = h.annotator
      returning l.grp, l.beside)
    select array_agg(grp) filter (where beside is null) into groups from ended;
  perform hub.reckon(s, groups);
  return coalesce(cardinality(groups), 0);
end$$;
revoke all on function hub.reopen(int, text, text) from public;
grant execute on function hub.reopen(int, text, text) to {member};
set local role {owner};
revoke create on schema hub from {gate};
update hub.meta set value = value::int + 1 where key = 'schema';
commit;
