import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import canonicalize from 'canonicalize';
import pg from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { powersOf } from '#libs/auth/permission-risk.js';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { rolesOf } from '#libs/database/roles.js';
import { setMigrationContext } from '#libs/database/tenant-table.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { firstIdOf } from '#libs/webhooks/id-span.js';
import { applyFunctions, declaredFunctions, functionText, sqlFunction } from '#src/database/functions.js';
import { type Migration, MIGRATIONS } from '#src/database/migrations.js';
import { ApiKeys1763700000058 } from '#src/database/migrations/1763700000058-api-keys.js';
import { Delivery1763700000017 } from '#src/database/migrations/1763700000017-delivery.js';
import { MemberCounts1763700000031 } from '#src/database/migrations/1763700000031-member-counts.js';
import { Denials1763700000042 } from '#src/database/migrations/1763700000042-denials.js';
import { ComparableNames1763700000265 } from '#src/database/migrations/1763700000265-comparable-names.js';
import { ImmutableEvents1763700000035 } from '#src/database/migrations/1763700000035-immutable-events.js';
import { MailStates1763700000390 } from '#src/database/migrations/1763700000390-mail-states.js';
import { LoggedMails1763700000054 } from '#src/database/migrations/1763700000054-logged-mails.js';
import { Erasure1763700000050 } from '#src/database/migrations/1763700000050-erasure.js';
import { PaymentTerms1763700000046 } from '#src/database/migrations/1763700000046-payment-terms.js';
import { Dunning1763700000175 } from '#src/database/migrations/1763700000175-dunning.js';
import { GivenMappingValues1763700000190 } from '#src/database/migrations/1763700000190-given-mapping-values.js';
import { InterviewScorecards1763700000114 } from '#src/database/migrations/1763700000114-interview-scorecards.js';
import { Notifications1763700000154 } from '#src/database/migrations/1763700000154-notifications.js';
import { Words1763700000048 } from '#src/database/migrations/1763700000048-words.js';
import { describeCatalog } from '../harness/catalog.js';
import { asAdmin, createTestDatabase, type TestDatabase } from '../harness/database.js';

/**
 * Upgrades a database of earlier versions that contains rows. All rows share one database, which is migrated once, in
 * steps: each test inserts its rows before its migration, and checks them after the last one.
 */
let database: TestDatabase;
let admin: pg.Client;
const roles = () => rolesOf(database.settings.DATABASE_ROLE_PREFIX!);

type Check = () => Promise<void>;
const upgrades: { name: string; before: Migration; insert: () => Promise<Check> }[] = [];
const checks = new Map<string, Check>();

/** Declares a test: `insert` runs on the version before a migration, and returns what to check on the current one. */
function upgrade(name: string, before: Migration, insert: () => Promise<Check>): void {
  upgrades.push({ name, before, insert });
  it(name, () => checks.get(name)!());
}

/** An id as if it had been made some days ago. */
const idDaysAgo = (days: number) => firstIdOf(Date.now() - days * DAY_MS).slice(0, 14) + uuidv7().slice(14);

const versionBefore = (migration: Migration) => MIGRATIONS.slice(0, MIGRATIONS.indexOf(migration));

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  await clear();
  for (const migration of MIGRATIONS) {
    const due = upgrades.filter(({ before }) => before === migration);
    if (due.length > 0) await run(versionBefore(migration));
    for (const { name, insert } of due) checks.set(name, await insert());
  }
  await run(MIGRATIONS);
  await applyFunctions(admin, roles());
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

/** The tables that have rows in a new database: keys, and the migrations that it need not run. */
const FILLED = ['installation_keys', 'master_keys', 'migrations', 'signing_keys'].map((name) => `directory.${name}`);

async function filledTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relnamespace in ('data'::regnamespace, 'directory'::regnamespace)
       and relkind = 'r' and query_to_xml('select from ' || oid::regclass || ' limit 1', false, true, '')::text <> ''
     order by 1`,
  );
  return rows.map(({ name }) => name);
}

async function clear(): Promise<void> {
  for (const schema of ['data', 'directory']) {
    await admin.query(`drop schema ${schema} cascade`);
    await admin.query(`create schema ${schema} authorization ${roles().owner}`);
  }
}

async function run(migrations: Migration[]): Promise<void> {
  setMigrationContext({ roles: roles(), masterKeyId: database.masterKeys.id });
  const source = await new DataSource({
    type: 'postgres',
    url: database.adminUrl,
    schema: 'directory',
    migrations,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    installExtensions: false,
    extra: { options: `-c role=${roles().owner}` },
  }).initialize();
  await source.runMigrations();
  await source.destroy();
}

upgrade('keeps mails and allows new ones to be logged', LoggedMails1763700000054, async () => {
  const insert = (state: string) =>
    admin.query(
      `insert into data.mails (tenant_id, id, kind, subject_id, state, due_at, expires_at, created_at)
       values ($1, $2, 'core.invitation', $2, $3, now(), now(), now())`,
      [uuidv7(), uuidv7(), state],
    );
  await insert('sent');
  await expect(insert('logged')).rejects.toThrow('mails_state_check');
  return async () => {
    await insert('logged');
    await expect(insert('lost')).rejects.toThrow('mails_state_check');
    const { rows } = await admin.query(`select state from data.mails where kind = 'core.invitation' order by state`);
    expect(rows).toEqual([{ state: 'logged' }, { state: 'sent' }]);
  };
});

upgrade('repeats no mail that may have been sent, and tells refusals apart', MailStates1763700000390, async () => {
  const kind = 'test.upgrade.mail';
  const insert = (state: string, attempts: number, error: string | null) =>
    admin.query(
      `insert into data.mails (tenant_id, id, kind, subject_id, state, attempts, error, due_at, expires_at, created_at)
       values ($1, $2, $3, $2, $4, $5, $6, now(), now(), now())`,
      [uuidv7(), uuidv7(), kind, state, attempts, error],
    );
  await insert('waiting', 0, null);
  await insert('waiting', 1, null);
  await insert('waiting', 1, 'EAUTH 454');
  await insert('failed', 1, 'EENVELOPE RCPT TO 550');
  await insert('failed', 1, 'EMESSAGE DATA 554');
  await insert('failed', 1, 'expired');
  await insert('logged', 1, null);
  return async () => {
    const { rows } = await admin.query(`select state from data.mails where kind = $1 order by id`, [kind]);
    const states = rows.map(({ state }) => state as string); // a text
    expect(states).toEqual(['queued', 'sending', 'queued', 'bounced', 'refused', 'failed', 'logged']);
  };
});

upgrade('keeps the emails that members have turned off', Notifications1763700000154, async () => {
  const tenantId = uuidv7();
  await admin.query(
    `insert into directory.tenants (id, slug, name, plan, reads_per_minute, writes_per_minute, created_at)
     values ($1, 'mails', 'Mails', 'free', 60, 30, now())`,
    [tenantId],
  );
  for (const muted of [[], ['endpoint'], ['report', 'security']]) {
    const id = uuidv7();
    await admin.query(
      `insert into data.memberships (tenant_id, id, email, name, status, created_at, muted_mails)
       values ($1, $2, $3, 'm', 'active', now(), $4)`,
      [tenantId, id, `${id}@x.example`, muted],
    );
  }
  return async () => {
    const { rows } = await admin.query<{ notifications: object }>(
      'select notifications from data.memberships where tenant_id = $1 order by id',
      [tenantId],
    );
    const none = { email: 'none' };
    expect(rows.map(({ notifications }) => notifications)).toEqual([
      {},
      { kinds: { endpoint: none } },
      { kinds: { report: none, security: none, review: none } },
    ]);
  };
});

upgrade('keeps events, deliveries and attempts, and continues open ones', Delivery1763700000017, async () => {
  const [tenantId, endpointId] = [uuidv7(), uuidv7()];
  const stamp = JSON.stringify({ type: 'system', id: null, name: 'platform' });
  await admin.query(
    `insert into data.webhook_endpoints (tenant_id, id, url, event_types, status, timeout_ms, secret_sealed, version,
       created_at, updated_at, created_by, updated_by)
     values ($1, $2, 'https://hooks.example.com', '{*}', 'enabled', 15000, 'sealed', 1, now(), now(), $3, $3)`,
    [tenantId, endpointId, stamp],
  );
  const states = ['pending', 'in_flight', 'retrying', 'delivered', 'held'];
  const ids: string[] = [];
  for (const [index, status] of states.entries()) {
    const [eventId, id] = [idDaysAgo(index), idDaysAgo(index)];
    ids.push(id);
    const attempts = ['retrying', 'delivered'].includes(status) ? 1 : 0;
    const open = ['pending', 'in_flight', 'retrying'].includes(status);
    await admin.query(
      `insert into data.events (tenant_id, id, type, schema_version, occurred_at, subject_type, subject_id, envelope,
         sequence, dispatched_at)
       values ($1, $2, 'sales.deal.created', 1, now() - $3 * interval '1 day', 'sales.deal', 'x', '{"n":1}', $3 + 1, now())`,
      [tenantId, eventId, index],
    );
    await admin.query(
      `insert into data.webhook_deliveries (tenant_id, id, event_id, endpoint_id, event_type, status, attempts, due_at,
         lease_token, created_at, delivered_at)
       values ($1, $2, $3, $4, 'sales.deal.created', $5, $6, $7, $8, now(), $9)`,
      [
        tenantId,
        id,
        eventId,
        endpointId,
        status,
        attempts,
        open ? new Date() : null,
        status === 'in_flight' ? uuidv7() : null,
        status === 'delivered' ? new Date() : null,
      ],
    );
    if (attempts > 0)
      await admin.query(
        `insert into data.webhook_attempts (tenant_id, id, delivery_id, number, started_at, duration_ms, http_status)
         values ($1, $2, $3, 1, now(), 12, 500)`,
        [tenantId, uuidv7(), id],
      );
  }
  return async () => {
    const { rows } = await admin.query<{
      id: string;
      status: string;
      queued: boolean;
      attempts: number;
      logged: number;
    }>(
      `select d.id, d.status, q.delivery_id is not null and q.lease_token is null as queued, d.attempts,
         (select count(*)::integer from data.webhook_attempts a where a.delivery_id = d.id) as logged
       from data.webhook_deliveries d
         join data.events e on e.tenant_id = d.tenant_id and e.id = d.event_id
         join data.event_numbers n on n.tenant_id = e.tenant_id and n.event_id = e.id and n.sequence = d.sequence
         left join data.webhook_queue q on q.tenant_id = d.tenant_id and q.delivery_id = d.id
       order by d.sequence`,
    );
    const found = (status: string, queued: boolean, attempts: number, index: number) => {
      return { id: ids[index], status, queued, attempts, logged: attempts };
    };
    expect(rows).toEqual([
      found('pending', true, 0, 0),
      found('pending', true, 0, 1),
      found('retrying', true, 1, 2),
      found('delivered', false, 1, 3),
      found('held', false, 0, 4),
    ]);
    const lanes = await admin.query('select endpoint_id, ordering from data.webhook_lanes');
    expect(lanes.rows).toEqual([{ endpoint_id: endpointId, ordering: 'none' }]);
    const left = await admin.query(`select relname from pg_class where relname like 'old\\_%'`);
    expect(left.rows).toEqual([]);
  };
});

upgrade('creates keys for existing credentials, each with all of its rotations', ApiKeys1763700000058, async () => {
  const [tenantId, first, second, other] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  await admin.query(
    `insert into directory.tenants (id, slug, name, plan, reads_per_minute, writes_per_minute, created_at)
     values ($1, 'keys', 'Keys', 'free', 60, 30, now())`,
    [tenantId],
  );
  for (const [id, lineage, kind] of [
    [first, first, 'api_key'],
    [second, first, 'api_key'],
    [other, other, 'scim_token'],
  ])
    await admin.query(
      `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
         allow_protected, allowed_cidrs, created_at)
       values ($1, $2, $3, $4, $5, 'Shop', sha256('x'), '{deals:read}', false, '{}', now())`,
      [id, tenantId, kind, String(id).slice(-12), lineage],
    );
  return async () => {
    const { rows } = await admin.query(
      `select tenant_id, id, workspace_ids, last4, version from data.api_keys where tenant_id = $1`,
      [tenantId],
    );
    expect(rows).toEqual([{ tenant_id: tenantId, id: first, workspace_ids: [], last4: null, version: 1 }]);
  };
});

upgrade('counts existing members', MemberCounts1763700000031, async () => {
  const [tenantId, roleId] = [uuidv7(), uuidv7()];
  const states = ['active', 'invited', 'suspended', 'active'];
  const members = states.map((status) => ({ id: uuidv7(), status }));
  for (const { id, status } of members)
    await admin.query(
      `insert into data.memberships (tenant_id, id, email, name, status, created_at) values ($1, $2, $3, 'm', $4, now())`,
      [tenantId, id, `${id}@acme.example`, status],
    );
  for (const source of ['manual', 'scim:x'])
    await admin.query(
      `insert into data.role_assignments (tenant_id, membership_id, role_id, source, granted_at)
       select $1, id, $2, $3, now() from data.memberships where tenant_id = $1`,
      [tenantId, roleId, source],
    );
  const { id: gone } = members.at(-1)!;
  await admin.query(`update data.memberships set deleted_at = now(), version = 2 where id = $1`, [gone]);
  await admin.query(
    `insert into data.invitations (tenant_id, id, email, role_ids, workspace_ids, status, invited_by, expires_at, created_at,
       updated_at)
     select $1, gen_random_uuid(), 'i' || i || '@acme.example', '{}', '{}', 'pending', '{}', now(), now(), now()
     from generate_series(1, 5) i`,
    [tenantId],
  );
  return async () => {
    const { rows } = await admin.query(
      `select kind, subject_id as subject, sum(members)::int as members from data.member_counts
       where tenant_id = $1 group by 1, 2 order by 1`,
      [tenantId],
    );
    expect(rows).toEqual([
      { kind: 'role', subject: roleId, members: 3 },
      { kind: 'seat', subject: tenantId, members: 7 },
    ]);
  };
});

upgrade(
  'records for denials of roles and workspaces the powers of those who issued them',
  Denials1763700000042,
  async () => {
    const tenantId = uuidv7();
    const [owner, admin_, manager] = [uuidv7(), uuidv7(), uuidv7()];
    for (const [id, role] of [
      [owner, SYSTEM_ROLE_IDS.owner],
      [owner, SYSTEM_ROLE_IDS.admin],
      [admin_, SYSTEM_ROLE_IDS.admin],
      [manager, SYSTEM_ROLE_IDS.manager],
    ] as const) {
      await admin.query(
        `insert into data.memberships (tenant_id, id, email, name, status, created_at)
       values ($1, $2, $3, 'm', 'active', now()) on conflict do nothing`,
        [tenantId, id, `${id}@acme.example`],
      );
      await admin.query(
        `insert into data.role_assignments (tenant_id, membership_id, role_id, source, granted_at)
       values ($1, $2, $3, 'manual', now())`,
        [tenantId, id, role],
      );
    }
    const given = [
      [owner, 'workspace', 'deny'],
      [admin_, 'role', 'deny'],
      [manager, 'role', 'deny'],
      [owner, 'membership', 'deny'],
      [owner, 'workspace', 'allow'],
    ];
    for (const [by, principal, effect] of given)
      await admin.query(
        `insert into data.resource_grants (tenant_id, id, object, object_id, principal_type, principal_id, level, effect,
         granted_by, created_at, updated_at)
       values ($1, $2, 'sales.deal', $3, $4, $3, 'view', $5, $6, now(), now())`,
        [tenantId, uuidv7(), uuidv7(), principal, effect, JSON.stringify({ type: 'member', id: by, name: 'm' })],
      );
    return async () => {
      const { rows } = await admin.query<{ given_with: string[] }>(
        'select given_with from data.resource_grants order by id',
      );
      const powers = powersOf(() => true, false);
      expect(rows.map((row) => row.given_with)).toEqual([['owner', ...powers], powers, [], [], []]);
    };
  },
);

upgrade(
  'keeps sequence numbers, the reasons for events set aside, and the order of unnumbered events',
  ImmutableEvents1763700000035,
  async () => {
    const tenantId = uuidv7();
    const add = (id: string, position: number, sequence: number | null, error: string | null = null) =>
      admin.query(
        `insert into data.events (tenant_id, id, position, type, schema_version, occurred_at, subject_type, subject_id, envelope,
         sequence, dispatched_at, dispatch_error)
       values ($1, $2, $3, 'sales.deal.created', 1, now(), 'sales.deal', 'x', '{"n":1}', $4, $5, $6)`,
        [tenantId, id, position, sequence, sequence && '2026-01-02T03:04:05Z', error],
      );
    const [old, first, aside] = [idDaysAgo(90), idDaysAgo(0), idDaysAgo(0)];
    const [late, early] = [idDaysAgo(-90), idDaysAgo(0)];
    await add(old, 11, 1);
    await add(first, 13, 2);
    await add(aside, 12, 3, 'no way');
    await add(early, 22, null);
    await add(late, 21, null);
    await admin.query(`select setval('data.event_positions', 22)`);
    return async () => {
      const numbers = await admin.query(
        `select event_id, sequence, error, numbered_at = '2026-01-02T03:04:05Z' as then
       from data.event_numbers left join data.events_set_aside using (tenant_id, event_id, sequence)
       where tenant_id = $1 order by sequence`,
        [tenantId],
      );
      expect(numbers.rows).toEqual([
        { event_id: old, sequence: '1', error: null, then: true },
        { event_id: first, sequence: '2', error: null, then: true },
        { event_id: aside, sequence: '3', error: 'no way', then: true },
      ]);
      const due = await admin.query('select attempts, due_at <= now() as due from data.events_set_aside');
      expect(due.rows).toEqual([{ attempts: 1, due: true }]);
      const next = uuidv7();
      await admin.query('insert into data.events_pending (tenant_id, event_id) values ($1, $2)', [tenantId, next]);
      const pending = await admin.query('select event_id, position from data.events_pending order by position');
      expect(pending.rows).toEqual([
        { event_id: late, position: '21' },
        { event_id: early, position: '22' },
        { event_id: next, position: '23' },
      ]);
      // Tables that are written once have a fill factor of 100 and no columns that are written later.
      const parts = await admin.query<{ parent: string; fill: string }>(
        `select distinct inhparent::regclass::text as parent, array_to_string(reloptions, ',') as fill
       from pg_inherits join pg_class on oid = inhrelid where inhparent = any('{data.events,data.event_numbers}'::regclass[])`,
      );
      for (const { fill } of parts.rows.filter((part) => part.fill)) expect(fill).toMatch(/fillfactor=100\b/);
      const columns = await admin.query(
        `select attname from pg_attribute where attrelid = 'data.events'::regclass and attnum > 0 and not attisdropped
         and attname = any('{position,sequence,dispatched_at,dispatch_error}')`,
      );
      expect(columns.rows).toEqual([]);
    };
  },
);

upgrade('splits audit entries into a proven part and an erasable part', Erasure1763700000050, async () => {
  const [tenantId, recordId, commentId, memberId] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  const hanging = { record: { from: null, to: { object: 'talent.candidate', id: recordId } } };
  const actor = { id: null, name: 'Zoë "Z" \\ O\u2028Neil\n', type: 'system' };
  const told = [
    {
      action: 'talent.candidate.created',
      target: ['talent.candidate', recordId, 'Ada "A"\t'],
      changes: { email: { from: null, to: 'é\u0001' } },
    },
    { action: 'core.comment.created', target: ['core.comment', commentId, 'comment of Ada'], changes: hanging },
    { action: 'core.comment.deleted', target: ['core.comment', commentId, 'comment of Ada'], changes: {} },
    { action: 'core.watcher.created', target: ['core.watcher', memberId, 'watcher of Ada'], changes: hanging },
    { action: 'core.watcher.deleted', target: ['core.watcher', memberId, 'watcher of Ada'], changes: {} },
    { action: 'audit.read', target: null, changes: null, allowedBy: [actor], reason: 'Why\u007fnot' },
  ].map(({ target, ...rest }) => ({
    ...{ schemaVersion: 1, id: uuidv7(), tenantId, occurredAt: '2026-11-01T00:00:00.000Z', actor, reason: null },
    ...{ outcome: 'success', riskLevel: 'low', requestId: 'req', contextCommitment: 'c'.repeat(64), ...rest },
    target: target && { type: target[0]!, id: target[1]!, name: target[2]! },
  }));
  for (const entry of told)
    await admin.query(
      `insert into data.audit_log (tenant_id, id, occurred_at, actor_type, action, target_type, target_id, outcome,
         risk_level, request_id, entry, leaf_hash)
       values ($1, $2, $3, 'system', $4, $5, $6, 'success', 'low', 'req', $7, sha256('x'))`,
      [tenantId, entry.id, entry.occurredAt, entry.action, entry.target?.type, entry.target?.id, canonicalize(entry)],
    );
  return async () => {
    const { rows } = await admin.query<Record<string, string> & { leaf_hash: Buffer; details_salt: Buffer | null }>(
      'select * from data.audit_log where tenant_id = $1 order by id',
      [tenantId],
    );
    const whole = rows.filter(({ erased_at: erasedAt }) => erasedAt === null);
    for (const { entry, details, leaf_hash: leaf, details_salt: salt } of whole) {
      const parsed = JSON.parse(entry!) as { id: string };
      const { changes, reason, schemaVersion: _, target, ...kept } = told.find(({ id }) => id === parsed.id)!;
      const detailsCommitment = createHash('sha256').update(salt!).update(details!).digest('hex');
      const named = target && { type: target.type, id: target.id };
      expect(entry).toBe(canonicalize({ ...kept, schemaVersion: 2, target: named, detailsCommitment }));
      expect(leaf).toEqual(createHash('sha256').update('\0').update(entry!).digest());
      expect(JSON.parse(details!)).toEqual({ targetName: target?.name ?? null, reason, changes });
    }
    expect(rows.map(({ action, about_id: about }) => [action, about])).toEqual([
      ['talent.candidate.created', null],
      ['core.comment.created', recordId],
      ['core.comment.deleted', recordId],
      ['core.watcher.created', recordId],
      ['core.watcher.deleted', null],
      ['audit.read', null],
    ]);
    // The name of a watched record is no longer stored anywhere once the watcher is removed.
    expect(rows.filter((row) => !whole.includes(row)).map(({ action, details }) => [action, details])).toEqual([
      ['core.watcher.deleted', '{"reason": null, "changes": {}, "targetName": null}'],
    ]);
    await expect(admin.query(`update data.audit_log set details = '{}'`)).rejects.toMatchObject({ code: 'TOP03' });
  };
});

upgrade('shortens payment terms that no invoice can have and keeps the others', PaymentTerms1763700000046, async () => {
  const tenantId = uuidv7();
  const stamp = JSON.stringify({ type: 'system', id: null, name: 'platform' });
  for (const [index, terms] of [3_650, 365, null].entries())
    await admin.query(
      `insert into data.sales_accounts (tenant_id, id, reference, name, version, created_at, updated_at, created_by,
         updated_by, lifecycle, payment_terms_days)
       values ($1, $2, $3, 'Acme', 1, now(), now(), $4, $4, 'prospect', $5)`,
      [tenantId, uuidv7(), `ACC-${index}`, stamp, terms],
    );
  return async () => {
    const { rows } = await admin.query<object>(
      `select payment_terms_days as terms, version from data.sales_accounts
       where tenant_id = $1 order by reference`,
      [tenantId],
    );
    expect(rows).toEqual([
      { terms: 365, version: 2 },
      { terms: 365, version: 1 },
      { terms: null, version: 1 },
    ]);
    const { rows: walls } = await admin.query<{ forced: boolean }>(
      `select relforcerowsecurity as forced from pg_class where oid = 'data.sales_accounts'::regclass`,
    );
    expect(walls).toEqual([{ forced: true }]);
  };
});

upgrade(
  'sums invoices for existing projects, and bills those that are invoiced monthly from the current month on',
  Dunning1763700000175,
  async () => {
    const [tenantId, monthly, other] = [uuidv7(), uuidv7(), uuidv7()];
    const stamp = JSON.stringify({ type: 'system', id: null, name: 'platform' });
    const columns = 'tenant_id, id, reference, name, version, created_at, updated_at, created_by, updated_by';
    for (const [id, invoiceOn, key] of [
      [monthly, 'month_end', 'AA'],
      [other, null, 'BB'],
    ])
      await admin.query(
        `insert into data.work_projects (${columns}, key, status, health, priority, member_ids, visibility, billing_model,
         budget_minor, currency, invoice_on, progress_method, progress_percent)
       values ($1, $2, $3, 'Acme', 1, now(), now(), $4, $4, $3, 'planned', 0, 0, '[]', 'workspace', 'time_and_materials',
         100, 'EUR', $5, 'tasks', 0)`,
        [tenantId, id, key, stamp, invoiceOn],
      );
    const issued = `status, issue_date, due_date, customer, seller, content_hash, base_currency, base_total_minor, overdue_at`;
    for (const [number, status, currency] of [
      ['1', 'issued', 'EUR'],
      ['2', 'void', 'EUR'],
      ['3', 'issued', 'USD'],
    ])
      await admin.query(
        `insert into data.finance_invoices (${columns}, number, currency, project_id, line_items, tax_inclusive, subtotal_minor,
         discount_minor, net_minor, tax_minor, total_minor, tax_breakdown, amount_paid_minor, amount_credited_minor,
         written_off_minor, balance_minor, dunning_paused, voided_at, void_reason, ${issued})
       values ($1, $2, $3, 'Invoice', 1, now(), now(), $4, $4, $3, $5, $6, '[{}]', false, 101, 0, 101, 20, 121, '[]', 0, 0, 0,
         121, false, case $7::text when 'void' then now() end, case $7::text when 'void' then 'x' end, $7, now(), now(),
         '{}', '{}', 'x', 'EUR', 121, now())`,
        [tenantId, uuidv7(), number, stamp, currency, monthly, status],
      );
    return async () => {
      const { rows } = await admin.query<object>(
        `select id, invoiced_minor::integer as invoiced, off_track_on::text as off from data.work_projects order by key`,
      );
      expect(rows).toEqual([
        { id: monthly, invoiced: 101, off: '-infinity' },
        { id: other, invoiced: 0, off: 'infinity' },
      ]);
      const timers = await admin.query<{ key: string; due: string }>(
        `select key, to_char(due_at at time zone 'UTC', 'DD HH24:MI') as due from data.automation_runs
       where tenant_id = $1`,
        [tenantId],
      );
      expect(timers.rows).toEqual([{ key: expect.stringMatching(`^${monthly}:\\d{4}-\\d\\d$`), due: '01 00:00' }]);
      const { rows: unforced } = await admin.query<object>(
        `select relname from pg_class where not relforcerowsecurity and oid = any(array['data.work_projects', 'data.finance_invoices',
         'data.finance_credit_notes', 'data.automation_runs']::regclass[])`,
      );
      expect(unforced).toEqual([]);
    };
  },
);

upgrade(
  'takes the values of open talent mappings for those that callers have set',
  GivenMappingValues1763700000190,
  async () => {
    const values = JSON.stringify({ jobTitle: 'Analyst', managerId: null, roleIds: [], workspaceIds: [uuidv7()] });
    await admin.query('set session_replication_role = replica'); // without the candidates
    for (const status of ['ready', 'applied'])
      await admin.query(
        `insert into data.talent_mappings (tenant_id, id, version, candidate_id, application_id, status, values, missing,
           steps, created_at, updated_at) values ($1, $1, 1, $1, $1, $2, $3, '[]', '[]', now(), now())`,
        [uuidv7(), status, values],
      );
    await admin.query('reset session_replication_role');
    return async () => {
      const { rows } = await admin.query<object>('select status, given from data.talent_mappings order by status');
      expect(rows).toEqual([
        { status: 'applied', given: [] },
        { status: 'ready', given: ['jobTitle', 'workspaceIds'] },
      ]);
    };
  },
);

upgrade('compares existing values in the same way as new ones', Words1763700000048, async () => {
  const [tenantId, id, gone] = [uuidv7(), uuidv7(), uuidv7()];
  const stamp = JSON.stringify({ type: 'system', id: null, name: 'platform' });
  const refs = JSON.stringify([{ system: 'crm', id: '1', url: null }]);
  const columns = 'tenant_id, id, reference, name, version, created_at, updated_at, created_by, updated_by';
  const values = `$1, $2::uuid, $2::text, 'Straße Äpfel', 1, now(), now(), '${stamp}', '${stamp}'`;
  const insert = (table: string, more: string, given: string, key = id) =>
    admin.query(`insert into data.${table} (${columns}, ${more}) values (${values}, ${given})`, [tenantId, key]);
  await insert('sales_accounts', 'lifecycle, tags, domain', `'active', '["\u0130zmir"]', 'x.example'`);
  await insert('sales_contacts', 'emails, consent', `'["\u0130@X.example"]', '{}'`);
  await insert('sales_leads', 'email, source, status', `'É@x.example', 'other', 'new'`);
  await insert('sales_products', 'sku, kind, currency, external_refs', `'é', 'goods', 'EUR', '${refs}'`);
  await insert('sales_products', 'sku, kind, currency, deleted_at', `'É', 'goods', 'EUR', now()`, gone);
  await admin.query(
    `insert into data.memberships (tenant_id, id, email, name, status, created_at) values ($1, $2, 'É@x.example', 'm', 'active', now())`,
    [tenantId, id],
  );
  return async () => {
    const one = async (text: string) => (await admin.query<{ value: unknown }>(text)).rows.map(({ value }) => value);
    expect(await one(`select tag as value from data.record_tags`)).toEqual(['izmir']);
    const addresses = `select email as value from data.sales_contact_emails where tenant_id = '${tenantId}'`;
    expect(await one(addresses)).toEqual(['i@x.example']);
    expect(await one(`select email_lower as value from data.sales_leads`)).toEqual(['é@x.example']);
    expect(await one(`select email_lower as value from data.memberships where id = '${id}'`)).toEqual(['é@x.example']);
    expect(
      await one(`select id as value from data.sales_accounts where search @@ to_tsquery('simple', 'äpfel')`),
    ).toEqual([id]);
    const indexes = await one(
      `select indexdef as value from pg_indexes where schemaname = 'data' and indexname like '%\\_name\\_%' and indexdef ~ 'id\\)'`,
    );
    expect(indexes.length).toBeGreaterThan(25);
    for (const index of indexes) expect(index).toContain('name COLLATE data.alphabet, id)');
    // Records in the trash release their external ids.
    await admin.query(`update data.sales_products set deleted_at = now(), version = 2 where id = $1`, [id]);
    await admin.query(`update data.sales_products set external_refs = $2, version = 2 where id = $1`, [gone, refs]);
    expect(await one(`select in_trash as value from data.external_refs`)).toEqual([true, true]);
  };
});

upgrade(
  'spells stored addresses as new ones, unless another record has them',
  ComparableNames1763700000265,
  async () => {
    const tenantId = uuidv7();
    await admin.query(
      `insert into directory.tenants (id, slug, name, plan, reads_per_minute, writes_per_minute, created_at)
       values ($1, 'spelling', 'Spelling', 'free', 60, 30, now())`,
      [tenantId],
    );
    const stamp = JSON.stringify({ type: 'system', id: null, name: 'platform' });
    const member = async (email: string) => {
      const id = uuidv7();
      await admin.query(
        `insert into data.memberships (tenant_id, id, email, name, status, created_at) values ($1, $2, $3, 'm', 'active', now())`,
        [tenantId, id, email],
      );
      return id;
    };
    const [ada, , bob] = [
      await member('Ada@bücher.example'),
      await member('bob@xn--bcher-kva.example'),
      await member('bob@bücher.example'),
    ];
    const contact = uuidv7();
    await admin.query(
      `insert into data.sales_contacts (tenant_id, id, reference, name, version, created_at, updated_at, created_by,
       updated_by, emails, consent)
     values ($1, $2, 'C', 'C', 1, now(), now(), $3, $3, $4, '{}')`,
      [tenantId, contact, stamp, JSON.stringify(['x@bücher.example', 'x@xn--bcher-kva.example', 'y@z.example'])],
    );
    return async () => {
      const one = async (text: string, id: string) =>
        (await admin.query<{ value: unknown }>(text, [tenantId, id])).rows.map(({ value }) => value);
      const address = 'select email as value from data.memberships where tenant_id = $1 and id = $2';
      expect(await one(address, ada)).toEqual(['Ada@xn--bcher-kva.example']);
      expect(await one(address, bob)).toEqual(['bob@bücher.example']);
      const key = 'select user_name_key as value from data.scim_users where tenant_id = $1 and id = $2';
      expect(await one(key, ada)).toEqual(['ada@xn--bcher-kva.example']);
      const side = `select email as value from data.sales_contact_emails where tenant_id = $1 and contact_id = $2 order by email`;
      expect(await one(side, contact)).toEqual(['x@xn--bcher-kva.example', 'y@z.example']);
    };
  },
);

upgrade(
  'renames the permissions on scorecards of interviews wherever they are stored',
  InterviewScorecards1763700000114,
  async () => {
    const [tenantId, id] = [uuidv7(), uuidv7()];
    await admin.query(
      `insert into directory.tenants (id, slug, name, plan, reads_per_minute, writes_per_minute, created_at)
     values ($1, 'agents', 'Agents', 'free', 60, 30, now())`,
      [tenantId],
    );
    await admin.query(
      `insert into data.roles (tenant_id, id, key, name, permissions, created_at, updated_at)
     values ($1, $2, 'hr', 'HR', '{deals:read,scorecards:write@own,scorecards:read}', now(), now())`,
      [tenantId, id],
    );
    await admin.query(
      `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
       allow_protected, allowed_cidrs, created_at)
     values ($1, $2, 'api_key', 'key', $1, 'Shop', sha256('x'), '{scorecards:*,*:read}', false, '{}', now())`,
      [id, tenantId],
    );
    const stamp = JSON.stringify({ type: 'system', id: null, name: 'platform' });
    await admin.query(
      `insert into data.intelligence_agents (tenant_id, id, reference, name, version, created_at, updated_at, created_by,
       updated_by, status, parameters, tools, grants, data_scope, autonomy, limits, agent_version)
     values ($1, $2, 'AGT-1', 'Scout', 1, now(), now(), $3, $3, 'draft', '{}', '[]', '["jobs:read","scorecards:read"]',
       '{}', 'suggest', '{}', 1)`,
      [tenantId, id, stamp],
    );
    return async () => {
      const found = async (text: string) =>
        (await admin.query<{ value: unknown }>(text)).rows.map(({ value }) => value);
      expect(await found('select permissions as value from data.roles')).toEqual([
        ['deals:read', 'interview-scorecards:write@own', 'interview-scorecards:read'],
      ]);
      expect(await found(`select scopes as value from directory.credentials where id = '${id}'`)).toEqual([
        ['interview-scorecards:*', '*:read'],
      ]);
      expect(await found('select grants as value from data.intelligence_agents')).toEqual([
        ['jobs:read', 'interview-scorecards:read'],
      ]);
      expect(
        await found(`select relname as value from pg_class join pg_namespace n on n.oid = relnamespace
        where nspname = 'data' and relrowsecurity and not relforcerowsecurity and not relispartition`),
      ).toEqual([]);
    };
  },
);

describe('a new database, which has loaded schema.sql,', () => {
  let fresh: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    fresh = await createTestDatabase();
    client = new pg.Client({ connectionString: fresh.adminUrl });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await fresh.drop();
  });

  it('is equal to one that has run all migrations', async () => {
    const [loaded, migrated] = [await describeCatalog(client), await describeCatalog(admin)];
    // Rows of earlier days have made further partitions, and midnight may have passed.
    const lacking = (one: object, other: object) =>
      Object.keys(one).filter((name) => !(name in other) && !/_\d{8}/.test(name));
    expect(lacking(loaded, migrated)).toEqual([]);
    expect(lacking(migrated, loaded)).toEqual([]);
    const common = Object.keys(loaded).filter((name) => name in migrated);
    expect(common.length).toBeGreaterThan(9_000);
    expect(common.filter((name) => !isDeepStrictEqual(loaded[name], migrated[name]))).toEqual([]);
    expect(Object.keys(loaded).filter((name) => /^relations data\.\w+_\d{8}$/.test(name))).toHaveLength(4 * 15);
    expect(await filledTables(client)).toEqual(FILLED);
  });

  it('has a file for each function, which makes it with a valid body', async () => {
    const before = await describeCatalog(client);
    const names = await asAdmin<{ name: string }>(
      fresh,
      `select n.nspname || '.' || proname as name from pg_proc join pg_namespace n on n.oid = pronamespace
       where nspname in ('data', 'directory') order by 1`,
    );
    expect(names.map(({ name }) => name)).toEqual(declaredFunctions());
    await client.query('begin; set local check_function_bodies = on');
    for (const name of declaredFunctions()) await client.query(functionText(name));
    expect(await describeCatalog(client)).toEqual(before);
    await client.query('rollback');
  });

  it('gets a function anew if its text has changed, and keeps owner and rights', async () => {
    const before = await describeCatalog(client);
    const spoil = () =>
      client.query(`create or replace function directory.check_epoch(tenant uuid, expected bigint) returns boolean
        language sql stable as 'select true'`);
    await spoil();
    await applyFunctions(client, roles());
    expect(await describeCatalog(client)).not.toEqual(before); // it was made from the present text
    await client.query(`comment on function directory.check_epoch is 'made from another text'`);
    await applyFunctions(client, roles());
    expect(await describeCatalog(client)).toEqual(before);
    await spoil();
    await sqlFunction(client as unknown as QueryRunner, 'directory.check_epoch'); // as a migration does
    expect(await describeCatalog(client)).toEqual(before);
  });
});

it('reports records that would no longer be distinct', async () => {
  await clear();
  await run(versionBefore(Words1763700000048));
  const [tenantId, ...ids] = [uuidv7(), uuidv7(), uuidv7()];
  for (const [index, id] of ids.entries())
    await admin.query(
      `insert into data.roles (tenant_id, id, key, name, permissions, created_at, updated_at)
       values ($1, $2, $3, $4, '{}', now(), now())`,
      [tenantId, id, `key${index}`, ['Café', 'Cafe\u0301'][index]],
    );
  await expect(run(MIGRATIONS)).rejects.toThrow(
    `The name of these roles of the tenant ${tenantId} differs in case or accents alone: ${ids.join(', ')}.`,
  );
});
