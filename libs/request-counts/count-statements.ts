import { statement, type Statement } from '#libs/database/statement.js';
import { type DayCount, type KeyCount, MinuteCount, TenantMinute } from './request-counts.js';

// Each process writes its own rows, always with complete totals, so duplicate or late writes are harmless.
const KEEP_MINUTES = `
  insert into data.request_stats_minute as s (tenant_id, minute, route, method, credential_kind, credential_id,
    process_id, revision, count, c2xx, c4xx, c429, c5xx, latency, bytes_out, replays, good, bad, good_latency,
    max_ms)
  select $1, to_timestamp(u.minute * 60), u.route, u.method, u.kind, u.credential_id, u.process_id, u.revision,
    u.count, u.c2xx, u.c4xx, u.c429, u.c5xx, u.latency::bigint[], u.bytes_out, u.replays, u.good, u.bad,
    u.good_latency::bigint[], u.max_ms
  from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::uuid[], $8::integer[], $9::bigint[],
    $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::text[], $15::bigint[], $16::bigint[],
    $17::bigint[], $18::bigint[], $19::text[], $20::integer[])
    as u (minute, route, method, kind, credential_id, process_id, revision, count, c2xx, c4xx, c429, c5xx, latency,
      bytes_out, replays, good, bad, good_latency, max_ms)
  on conflict (tenant_id, minute, route, method, credential_id, process_id) do update
    set revision = excluded.revision, count = excluded.count, c2xx = excluded.c2xx, c4xx = excluded.c4xx,
      c429 = excluded.c429, c5xx = excluded.c5xx, latency = excluded.latency, bytes_out = excluded.bytes_out,
      replays = excluded.replays, good = excluded.good, bad = excluded.bad, good_latency = excluded.good_latency,
      max_ms = excluded.max_ms
    where s.revision < excluded.revision`;
const KEEP_TOTALS = `
  insert into data.request_minutes as m (tenant_id, minute, process_id, revision, good, bad, good_latency)
  select $1, to_timestamp(u.minute * 60), u.process_id, u.revision, u.good, u.bad, u.good_latency::bigint[]
  from unnest($2::bigint[], $3::uuid[], $4::integer[], $5::bigint[], $6::bigint[], $7::text[])
    as u (minute, process_id, revision, good, bad, good_latency)
  on conflict (tenant_id, minute, process_id) do update
    set revision = excluded.revision, good = excluded.good, bad = excluded.bad, good_latency = excluded.good_latency
    where m.revision < excluded.revision`;
const KEEP_DAYS = `
  insert into data.request_days as d (tenant_id, date, rate_class, process_id, revision, counted, refused, errors,
    server_errors, replays)
  select $1, u.* from unnest($2::date[], $3::text[], $4::uuid[], $5::integer[], $6::bigint[], $7::bigint[], $8::bigint[],
    $9::bigint[], $10::bigint[])
    as u (date, rate_class, process_id, revision, counted, refused, errors, server_errors, replays)
  on conflict (tenant_id, date, rate_class, process_id) do update
    set revision = excluded.revision, counted = excluded.counted, refused = excluded.refused, errors = excluded.errors,
      server_errors = excluded.server_errors, replays = excluded.replays
    where d.revision < excluded.revision`;
const KEEP_KEYS = `
  insert into data.request_key_days as d (tenant_id, key_id, date, route, method, process_id, revision, counted, refused,
    c4xx, c5xx, replays, permissions)
  select $1, u.key_id, u.date, u.route, u.method, u.process_id, u.revision, u.counted, u.refused, u.c4xx, u.c5xx,
    u.replays, u.permissions::text[]
  from unnest($2::uuid[], $3::date[], $4::text[], $5::text[], $6::uuid[], $7::integer[], $8::bigint[], $9::bigint[],
    $10::bigint[], $11::bigint[], $12::bigint[], $13::text[])
    as u (key_id, date, route, method, process_id, revision, counted, refused, c4xx, c5xx, replays, permissions)
  on conflict (tenant_id, key_id, date, route, method, process_id) do update
    set revision = excluded.revision, counted = excluded.counted, refused = excluded.refused, c4xx = excluded.c4xx,
      c5xx = excluded.c5xx, replays = excluded.replays, permissions = excluded.permissions
    where d.revision < excluded.revision`;

/** Statistics with their own row in the database. */
export type Figures = MinuteCount | TenantMinute | DayCount | KeyCount;

/** Statistics per minute, and those of the tenant's minutes and days that they belong to. */
export function figuresOf(counts: readonly MinuteCount[]): Figures[] {
  const days = new Set(counts.map(({ place }) => place.day));
  const keys = new Set(counts.map(({ place }) => place.key));
  const totals = new Set(counts.map(({ place }) => place.total));
  return [...days, ...keys, ...totals, ...counts];
}

/** Stores the current statistics, each under its next revision. */
export function keep(tenantId: string, figures: readonly Figures[]): Statement[] {
  for (const each of figures) each.revision++;
  const minutes = figures.filter((each) => each instanceof MinuteCount);
  const totals = figures.filter((each) => each instanceof TenantMinute);
  const days = figures.filter((each): each is DayCount => 'rateClass' in each);
  const keys = figures.filter((each): each is KeyCount => 'keyId' in each);
  return [
    ...(minutes.length > 0 ? [keepMinutes(tenantId, minutes)] : []),
    ...(totals.length > 0 ? [keepTotals(tenantId, totals)] : []),
    ...(days.length > 0 ? [keepDays(tenantId, days)] : []),
    ...(keys.length > 0 ? [keepKeys(tenantId, keys)] : []),
  ];
}

function keepMinutes(tenantId: string, counts: readonly MinuteCount[]): Statement {
  const column = <T>(of: (count: MinuteCount) => T): T[] => counts.map(of);
  return statement(KEEP_MINUTES, [
    tenantId,
    column(({ place }) => place.minute),
    column(({ place }) => place.route),
    column(({ place }) => place.method),
    column(({ place }) => place.credentialKind),
    column(({ place }) => place.credentialId),
    column(({ processId }) => processId),
    column(({ revision }) => revision),
    column(({ count }) => count),
    column(({ c2xx }) => c2xx),
    column(({ c4xx }) => c4xx),
    column(({ c429 }) => c429),
    column(({ c5xx }) => c5xx),
    column(({ latency }) => listText(latency)),
    column(({ bytesOut }) => bytesOut),
    column(({ replays }) => replays),
    column(({ good }) => good),
    column(({ bad }) => bad),
    column(({ goodLatency }) => listText(goodLatency)),
    column(({ maxMs }) => maxMs),
  ]);
}

function keepTotals(tenantId: string, totals: readonly TenantMinute[]): Statement {
  const column = <T>(of: (total: TenantMinute) => T): T[] => totals.map(of);
  return statement(KEEP_TOTALS, [
    tenantId,
    column(({ minute }) => minute),
    column(({ processId }) => processId),
    column(({ revision }) => revision),
    column(({ good }) => good),
    column(({ bad }) => bad),
    column(({ goodLatency }) => listText(goodLatency)),
  ]);
}

function keepDays(tenantId: string, days: readonly DayCount[]): Statement {
  const column = <T>(of: (day: DayCount) => T): T[] => days.map(of);
  return statement(KEEP_DAYS, [
    tenantId,
    column(({ date }) => date),
    column(({ rateClass }) => rateClass),
    column(({ processId }) => processId),
    column(({ revision }) => revision),
    column(({ counted }) => counted),
    column(({ refused }) => refused),
    column(({ errors }) => errors),
    column(({ serverErrors }) => serverErrors),
    column(({ replays }) => replays),
  ]);
}

function keepKeys(tenantId: string, keys: readonly KeyCount[]): Statement {
  const column = <T>(of: (key: KeyCount) => T): T[] => keys.map(of);
  return statement(KEEP_KEYS, [
    tenantId,
    column(({ keyId }) => keyId),
    column(({ date }) => date),
    column(({ route }) => route),
    column(({ method }) => method),
    column(({ processId }) => processId),
    column(({ revision }) => revision),
    column(({ counted }) => counted),
    column(({ refused }) => refused),
    column(({ c4xx }) => c4xx),
    column(({ c5xx }) => c5xx),
    column(({ replays }) => replays),
    column(({ permissions }) => listText([...permissions])),
  ]);
}

/** An array as text, because unnest() would flatten an array of arrays. */
function listText(items: readonly (string | number)[]): string {
  return `{${items.join(',')}}`;
}
