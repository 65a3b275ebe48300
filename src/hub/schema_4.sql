-- What a lead erases is erased on the hub too, as the record comes in that says so. Run by the login that made the hub.
begin;
set local role {owner};
-- The name of a record, and the fingerprint of a text, as files make them.
create function hub.print(parts text[]) returns bytea stable set search_path = pg_catalog, pg_temp language sql as $$
  select substr(sha256(string_agg(int8send(octet_length(b)) || b, ''::bytea order by i)), 1, 16)
    from (select convert_to(p, 'utf8') b, i from unnest(parts) with ordinality g(p, i)) x$$;
-- Passages without their quotes: those of one document, given as it stands in JSON, or all.
create function hub.unquoted(evidence json, document text) returns json stable set search_path = pg_catalog, pg_temp language sql as $$
  select coalesce(json_agg(case when document is null or (q -> 'document')::text = document
    then json_build_object('document', q -> 'document', 'quote', '') else q end), '[]') from json_array_elements(evidence) q$$;
-- Takes the text of a record out of it, out of revisions, and out of quotes of a document. The record keeps its name, its place, and the
-- fingerprint of its text, so that files have one record, whether they fetched it before or after. Values are compared as they stand in JSON.
create function hub.erase(s int, e json) returns void set search_path = pg_catalog, pg_temp language plpgsql as $$
#variable_conflict use_variable
declare what text := e ->> 'of'; near text := (e -> 'collection')::text; id text := (e -> 'id')::text; r record; new json;
begin
  if e ->> 'act' is distinct from 'erase' or what not in ('query', 'document', 'unit', 'candidate') then return; end if;
  for r in select h.kind, h.key, convert_from(h.body, 'utf8')::json was from hub.record h where h.study = s
      and h.kind in (what, 'named ' || what) and position('"haymark_erased"'::bytea in h.body) = 0 and h.key = hub.print(case
        when what in ('unit', 'candidate') then array[e ->> 'collection', e ->> 'query', e ->> 'id'] else array[e ->> 'collection', e ->> 'id'] end) loop
    select json_object_agg(f.key, f.value) into new from (
      select j.key, case j.key when 'text' then '""' when 'evidence' then hub.unquoted(j.value, null) else j.value end as value
        from json_each(r.was) j where j.key not in ('title', 'meta')
      -- A text with a zero in it is none to the server.
      union all select 'meta', json_build_object('haymark_lost', true, 'haymark_erased', encode(hub.print(array[
        case when position('\u0000' in (r.was -> 'text')::text) = 0 then r.was ->> 'text' else '' end]), 'hex'))) f;
    update hub.record h set body = convert_to(new::text, 'utf8') where h.study = s and h.kind = r.kind and h.key = r.key;
  end loop;
  for r in select h.kind, h.key, h.was, h.was ->> 'act' is not distinct from 'revise' and h.was ->> 'of' = what
        and (h.was -> 'collection')::text is not distinct from near and (h.was -> 'id')::text = id
        and (h.was -> 'query')::text is not distinct from (e -> 'query')::text as is_its
      from (select x.kind, x.key, convert_from(x.body, 'utf8')::json was from hub.record x where x.study = s
        and (x.kind in ('amendment', 'named amendment') or what = 'document' and x.kind in ('unit', 'named unit'))) h loop
    continue when not r.is_its and (what <> 'document' or (r.was -> 'collection')::text is distinct from near
      or position('"document":' || id in r.was::text) = 0);
    select json_object_agg(j.key, case
        when j.key = 'evidence' then hub.unquoted(j.value, id)
        when j.key = 'to' and j.value -> 'evidence' is not null then (select json_object_agg(t.key,
          case when t.key = 'evidence' then hub.unquoted(t.value, id) else t.value end) from json_each(j.value) t)
        else j.value end) into new from json_each(r.was) j where j.key <> 'to' or not r.is_its;
    update hub.record h set body = convert_to(new::text, 'utf8') where h.study = s and h.kind = r.kind and h.key = r.key;
  end loop;
end$$;
create function hub.erases() returns trigger security definer set search_path = pg_catalog, pg_temp language plpgsql as
  $$begin perform hub.erase(new.study, convert_from(new.body, 'utf8')::json); return null; end$$;
revoke all on function hub.print(text[]), hub.unquoted(json, text), hub.erase(int, json), hub.erases() from public;
-- Nothing else changes a record: only an update from within this trigger passes the other.
create trigger erases after insert on hub.record for each row
  when (new.kind in ('amendment', 'named amendment') and position('"act":"erase"'::bytea in new.body) > 0) execute function hub.erases();
drop trigger append_only on hub.record;
-- What was erased before.
select hub.erase(r.study, convert_from(r.body, 'utf8')::json) from hub.record r
  where r.kind in ('amendment', 'named amendment') and position('"act":"erase"'::bytea in r.body) > 0;
create trigger append_only before update or delete on hub.record for each row when (pg_trigger_depth() = 0) execute function hub.append_only();
update hub.meta set value = value::int + 1 where key = 'schema';
commit;
