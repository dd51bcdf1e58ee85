create or replace function directory.record_uses(ids uuid[], used_at timestamp with time zone[], addresses text[])
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
insert into directory.credential_uses (credential_id, last_used_at, last_used_ip)
  select u.id, u.at, u.ip from unnest(ids, used_at, addresses) as u (id, at, ip) order by u.id
on conflict (credential_id) do update
  set last_used_at = excluded.last_used_at, last_used_ip = excluded.last_used_ip
  where credential_uses.last_used_at <= excluded.last_used_at
$$;
