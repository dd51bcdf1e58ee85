import { fieldsOf } from '#libs/http/field.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { includedReferences } from '#libs/resource/lists/list-shape.js';
import { Table } from '#libs/resource/lists/table.js';
import { type Resource, ResourceRegistry } from '#libs/resource/resource-registry.js';
import { operationPrefix, pathOf, type ResourceDefinition } from '#libs/resource/types/definition.js';
import { DataSource } from 'typeorm';
import type { TestTenant } from '../harness/platform.js';
import { member, type Scene, workspace } from './fixture-parts.js';
import { callOf } from './fixtures.js';
import { makeKey, type TestKey } from './keys.js';
import type { Json } from './operations.js';
import { type Running, sceneOf, startRunning } from './running.js';

/** Lists include the names of what records point to, and never of what the caller may not see. */
const platform: Running = await startRunning();
afterAll(() => platform.close());

const registry = platform.app.get(ResourceRegistry);
const resources = registry.everything();
const MEMBERS = 'data.memberships';
const WORKSPACES = 'data.workspaces';

/** A reference field of a type. */
interface Case {
  title: string;
  resource: Resource;
  name: string;
  field: string;
  table: string;
}

const CASES: Case[] = resources.flatMap((resource) =>
  [...includedReferences(resource.definition)].map(([name, { field, table }]) => ({
    title: `${resource.definition.type} ${name}`,
    ...{ resource, name, field, table },
  })),
);

/** Fields that no row can be given directly: they are computed, or other tables decide about them. */
const NOT_STORED = ['work.project member'];
/** Ids of what is not a record, a member or a workspace, or what lists of their own show. */
const WITHOUT_NAMES = [
  'documents.document templateId',
  'finance.invoice taxId',
  'intelligence.job approvalId',
  'people.employee mappingId',
  'people.employee nationalId',
  'proposals.proposal supersededById',
  'sales.account taxId',
  'sales.deal acceptedProposalIds',
  'sales.deal handoffId',
  'talent.application mappingTemplateId',
  'work.project handoffId',
  'work.time_entry invoiceLineId',
];

/** Only lists are tried here, not the rules of writes: rows point to things as they could in other states. */
beforeAll(async () => {
  const { rows } = await platform.admin.query<{ table: string; name: string }>(
    `select conrelid::regclass::text as table, conname as name from pg_constraint
     where contype = 'c' and conrelid::regclass::text = any($1)`,
    [resources.map(({ service }) => service.table)],
  );
  for (const { table, name } of rows) await platform.admin.query(`alter table ${table} drop constraint ${name}`);
});

it('every field with ids of records, members or workspaces can be included', () => {
  const missing = resources.flatMap(({ definition }) => {
    const known = new Set([...includedReferences(definition).values()].map(({ field }) => field));
    const ids = [...fieldsOf(definition.view).keys()].filter((field) => /Ids?$/.test(field) && !known.has(field));
    return ids.map((field) => `${definition.type} ${field}`);
  });
  expect(missing.filter((field) => !WITHOUT_NAMES.includes(field))).toEqual([]);
});

async function makeOne({ definition }: Pick<Resource, 'definition'>, scene: Scene): Promise<string> {
  const get = platform.operations.find(({ id }) => id === `${operationPrefix(definition)}.get`);
  const { path } = await callOf(get!, scene);
  return path!['id']!;
}

async function makeTarget(table: string, scene: Scene): Promise<string> {
  if (table === MEMBERS) return member(scene);
  if (table === WORKSPACES) return workspace(scene);
  return makeOne(registry.ofTable(table)!, scene);
}

/** Lets a row point to something; false if the field has no column. */
async function point({ resource, field }: Case, id: string, target: string): Promise<boolean> {
  const column = new Table(platform.app.get(DataSource), resource.definition.entity).columnOf(field);
  if (!column) return false;
  const value = column.type === 'jsonb' ? JSON.stringify([target]) : target;
  const client = await platform.admin.connect();
  try {
    await client.query(`set session_replication_role = replica`); // without triggers and foreign keys
    await client.query(`update ${resource.service.table} set ${column.sql} = $2 where id = $1`, [id, value]);
    return true;
  } finally {
    await client.query(`set session_replication_role = default`);
    client.release();
  }
}

interface Listed {
  status: number;
  text: string;
  body: { data: Json[]; included: Record<string, Json | null> };
}

function listOf({ resource, name }: Case, id: string, headers: Record<string, string>): Promise<Listed> {
  const path = `${pathOf(resource.definition)}?ids=${id}&include=${name}`;
  return platform.anonymous().as(headers).get<Listed['body']>(path);
}

async function deny(definition: ResourceDefinition, id: string, scene: Scene, key: TestKey): Promise<void> {
  await platform.admin.query(
    `insert into data.resource_grants (tenant_id, id, object, object_id, principal_type, principal_id, level, effect,
       granted_by, created_at, updated_at)
     values ($1, $2, $3, $4, 'api_key', $5, 'view', 'deny', '{}', now(), now())`,
    [scene.tenantId, uuidv7(), definition.type, id, key.id],
  );
}

describe.each(CASES)('$title', (each: Case) => {
  let own: TestTenant & Scene;
  let other: TestTenant & Scene;
  let key: { 'x-api-key': string };
  let id: string;
  beforeAll(async () => {
    own = sceneOf(platform, await platform.tenant(), 'pointing');
    other = sceneOf(platform, await platform.tenant(), 'foreign');
    key = { 'x-api-key': (await makeKey(platform.admin, own.id)).text };
    id = await makeOne(each.resource, own);
  });

  it('has its name in the list, unless the caller may not see it', async () => {
    const target = await makeTarget(each.table, own);
    if (!(await point(each, id, target))) return expect(NOT_STORED).toContain(each.title);
    const { rows } = await platform.admin.query<{ name: string }>(`select name from ${each.table} where id = $1`, [
      target,
    ]);
    const object = registry.ofTable(each.table)?.definition.type ?? registry.labelledIn(each.table)!.type;
    const shown = await listOf(each, id, key);
    expect(shown).toMatchObject({ status: 200, body: { data: [{ id }] } });
    expect(shown.body.included).toEqual({
      [target]: { object, id: target, name: rows[0]!.name, reference: registry.ofTable(each.table) ? expect.any(String) : null }, // prettier-ignore
    });
    await hide(target);
  });

  it('has no name of another tenant', async () => {
    const target = await makeTarget(each.table, other);
    if (!(await point(each, id, target))) return expect(NOT_STORED).toContain(each.title);
    const shown = await listOf(each, id, key);
    expectNameless(shown, target);
    expect(shown.text).not.toContain('foreign');
  });

  /** A record that shows the id has null for it; one that is itself hidden with what it points to says nothing of it. */
  function expectNameless({ status, body: { data, included } }: Listed, target: string): void {
    expect({ status, label: included[target] ?? null }).toEqual({ status: 200, label: null });
    if (data.some((item) => [item[each.field]].flat().includes(target)))
      expect(included).toHaveProperty([target], null);
  }

  /** Expects no name for a caller without the permission to read the type, for a denied one, and for what is in the trash. */
  async function hide(target: string): Promise<void> {
    const readsOwn = each.resource.definition.permissions.read;
    const resource = registry.ofTable(each.table);
    if (each.table !== MEMBERS && resource?.definition.permissions.read !== readsOwn) {
      const narrow = await makeKey(platform.admin, own.id, { scopes: [readsOwn] });
      expectNameless(await listOf(each, id, { 'x-api-key': narrow.text }), target);
    }
    if (resource) await hideRecord(resource.definition, target);
  }

  async function hideRecord(definition: ResourceDefinition, target: string): Promise<void> {
    const denied = await makeKey(platform.admin, own.id);
    await deny(definition, target, own, denied);
    expectNameless(await listOf(each, id, { 'x-api-key': denied.text }), target);
    if ('restore' in definition.lifecycle.transitions) {
      await platform.admin.query(`update ${each.table} set deleted_at = now() where id = $1`, [target]);
      expectNameless(await listOf(each, id, key), target);
    }
  }
});
