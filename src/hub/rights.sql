-- What a hub needs of its server beside its tables, which no dump has: who may connect, and whose its logins are. Run by the login
-- that owns the database, as often as wanted.
begin;
do $$declare had text := shobj_description('{owner}'::regrole, 'pg_authid'); here oid; other text; begin
  select oid into here from pg_database where datname = current_database();
  select datname into other from pg_database where had = 'haymark hub in database ' || oid and oid <> here;
  if other is not null then
    raise exception 'this is a copy of the hub in the database %, whose logins it would take away', other using errcode = 'insufficient_privilege';
  end if;
  if had is distinct from 'haymark hub in database ' || here then
    execute format('comment on role {owner} is %L', 'haymark hub in database ' || here); end if;
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to {member}', current_database());
end$$;
revoke all on schema public from public;
-- No limit counts large objects. Only a superuser keeps members from them.
do $$declare f text; begin
  if (select rolsuper from pg_roles where rolname = current_user) then
    for f in select oid::regprocedure from pg_proc where pronamespace = 'pg_catalog'::regnamespace
        and proname in ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_put', 'lowrite') loop
      execute format('revoke execute on function %s from public', f); end loop; end if;
end$$;
do $$declare r text; begin
  foreach r in array array['{owner}', '{gate}', '{inviter}'] loop
    if exists (select from pg_auth_members where roleid = r::regrole and member = current_user::regrole) then
      execute format('revoke %I from %I', r, current_user); end if;
  end loop; end$$;
commit;
