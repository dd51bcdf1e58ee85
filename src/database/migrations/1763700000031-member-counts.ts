import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** What is counted row by row: the rows of a table that `counts` holds for, by the subject that they count for. */
const ROWS = [
  {
    table: 'memberships',
    kind: 'seat',
    subject: 'tenant_id',
    counts: `status in ('active', 'invited') and deleted_at is null`,
  },
  { table: 'invitations', kind: 'seat', subject: 'tenant_id', counts: `status = 'pending'` },
  {
    table: 'scim_users',
    kind: 'scim_user',
    subject: 'config_id',
    counts: 'config_id is not null and deleted_at is null',
  },
  { table: 'scim_groups', kind: 'scim_group', subject: 'config_id', counts: 'deleted_at is null' },
] as const;
/** What members hold, and one member perhaps from several sources: then it counts once. */
const HELD = [
  { table: 'role_assignments', kind: 'role', subject: 'role_id' },
  { table: 'workspace_members', kind: 'workspace', subject: 'workspace_id' },
] as const;

/** Where statements look members up by a list of ids. */
const LOOKED_UP = ['memberships', 'role_assignments', 'workspace_members'];

/** Numbers of members that are kept and not counted when they are asked for. ADR 0018. */
export class MemberCounts1763700000031 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await counts(runner);
    for (const each of ROWS) await countRows(runner, each);
    for (const each of HELD) await countHeld(runner, each);
    await countBuried(runner);
    await backfill(runner);
    await runner.query(`drop index data.memberships_seats_idx`);
    await runner.query(
      `create index invitations_pending_idx on data.invitations (tenant_id, expires_at) where status = 'pending'`,
    );
    // As in the migration before, for the same reason.
    for (const table of LOOKED_UP)
      await runner.query(`alter table data.${table} alter column tenant_id set (n_distinct = -0.01)`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/**
 * A number is the sum of its slots. Who changes it adds to a slot that nobody else is adding to, or to a new one: so nobody
 * waits for anybody, none can lock another one out, and there are never more slots than there were writers at once.
 */
async function counts(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.member_counts (
      tenant_id uuid not null,
      kind text not null check (kind in ('seat', 'role', 'workspace', 'scim_user', 'scim_group')),
      subject_id uuid not null,
      slot uuid not null,
      members integer not null,
      primary key (tenant_id, kind, subject_id, slot)
    ) with (fillfactor = 50)`);
  await tenantTable(runner, 'data.member_counts', { grant: 'select, insert, update' });
  await runner.query(`
    create function data.add_members(tenant uuid, counted text, subject uuid, difference integer) returns void
      language plpgsql set search_path = pg_catalog as $$
    declare free uuid;
    begin
      select slot into free from data.member_counts
        where tenant_id = tenant and kind = counted and subject_id = subject limit 1 for no key update skip locked;
      if found then
        update data.member_counts set members = members + difference
          where tenant_id = tenant and kind = counted and subject_id = subject and slot = free;
      else
        insert into data.member_counts values (tenant, counted, subject, gen_random_uuid(), difference);
      end if;
    end $$`);
}

/** Once for all rows of a statement: one row that is changed thousands of times in a transaction grows ever slower. */
async function countRows(runner: QueryRunner, { table, kind, subject, counts }: (typeof ROWS)[number]): Promise<void> {
  const rows = (of: string, by: number): string =>
    `select tenant_id, ${subject} as subject, ${by} as n from ${of} where ${counts}`;
  const add = (changes: string): string => `
        perform data.add_members(d.tenant_id, '${kind}', d.subject, d.n) from (
          select tenant_id, subject, sum(n)::integer as n from (${changes}) c group by 1, 2 having sum(n) <> 0) d;`;
  await runner.query(`
    create function data.count_${table}() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if tg_op = 'INSERT' then ${add(rows('fresh', 1))}
      else ${add(`${rows('fresh', 1)} union all ${rows('former', -1)}`)}
      end if;
      return null;
    end $$`);
  for (const [event, tables] of Object.entries({
    insert: 'new table as fresh',
    update: 'old table as former new table as fresh',
  }))
    await runner.query(`
      create trigger members_${event} after ${event} on data.${table} referencing ${tables}
        for each statement execute function data.count_${table}()`);
}

/**
 * A member counts from the first source on until the last one has gone, and never once they are removed. The trigger that
 * raises the epoch has run by then (triggers run in the order of their names), and has locked the tenant against all others
 * who give or take: what they have done is seen. Whom this transaction has made nobody else can have given anything.
 */
async function countHeld(runner: QueryRunner, { table, kind, subject }: (typeof HELD)[number]): Promise<void> {
  const all = `(select count(*) from data.${table} a
          where a.tenant_id = c.tenant_id and a.membership_id = c.membership_id and a.${subject} = c.${subject})`;
  const changed = { insert: { rows: 'new', by: 1, had: 'count(*)' }, delete: { rows: 'old', by: -1, had: '0' } };
  for (const [event, { rows, by, had }] of Object.entries(changed)) {
    await runner.query(`
      create function data.count_${table}_${event}() returns trigger language plpgsql set search_path = pg_catalog as $$
      begin
        perform data.add_members(d.tenant_id, '${kind}', d.${subject}, d.n) from (
          select tenant_id, ${subject}, (${by} * count(*))::integer as n from (
            select c.tenant_id, c.${subject} from changed c
              join data.memberships m on m.tenant_id = c.tenant_id and m.id = c.membership_id and m.deleted_at is null
            group by c.tenant_id, c.${subject}, c.membership_id having ${all} = ${had}) p
          group by 1, 2) d;
        return null;
      end $$`);
    await runner.query(`
      create trigger members_${event} after ${event} on data.${table} referencing ${rows} table as changed
        for each statement execute function data.count_${table}_${event}()`);
  }
}

/** What members hold while they are removed no longer counts; it is taken from them before or after. */
async function countBuried(runner: QueryRunner): Promise<void> {
  const held = HELD.map(
    ({ table, kind, subject }) => `
          select a.tenant_id, '${kind}' as kind, a.${subject} as subject, a.membership_id from data.${table} a
          where (a.tenant_id, a.membership_id) in (select tenant_id, id from buried)`,
  );
  await runner.query(`
    create function data.count_buried() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      perform data.add_members(d.tenant_id, d.kind, d.subject, d.n) from (
        with buried as (
          select tenant_id, id from fresh join former using (tenant_id, id)
          where fresh.deleted_at is not null and former.deleted_at is null)
        select tenant_id, kind, subject, -count(distinct membership_id)::integer as n from (${held.join(' union all')}) h
        group by 1, 2, 3) d;
      return null;
    end $$`);
  await runner.query(`
    create trigger members_buried after update on data.memberships
      referencing old table as former new table as fresh for each statement execute function data.count_buried()`);
}

async function backfill(runner: QueryRunner): Promise<void> {
  const tables = ['memberships', 'member_counts', ...[...ROWS.slice(1), ...HELD].map(({ table }) => table)];
  for (const table of tables) await runner.query(`alter table data.${table} no force row level security`);
  const rows = ROWS.map(
    ({ table, kind, subject, counts: where }) =>
      `select tenant_id, '${kind}', ${subject}, count(*) from data.${table} where ${where} group by 1, 3`,
  );
  const held = HELD.map(
    ({ table, kind, subject }) =>
      `select a.tenant_id, '${kind}', a.${subject}, count(distinct a.membership_id) from data.${table} a
       join data.memberships m on m.tenant_id = a.tenant_id and m.id = a.membership_id and m.deleted_at is null group by 1, 3`,
  );
  for (const text of [...rows, ...held])
    await runner.query(`insert into data.member_counts (tenant_id, kind, subject_id, slot, members)
      select c.tenant_id, c.kind, c.subject_id, gen_random_uuid(), c.members
      from (${text}) c (tenant_id, kind, subject_id, members)`);
  for (const table of tables) await runner.query(`alter table data.${table} force row level security`);
}
