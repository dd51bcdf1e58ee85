import type pg from 'pg';
import { uuidv7 } from '#libs/kernel/id.js';
import { attributesOf } from '#libs/resource/types/attribute.js';
import { operationPrefix, pathOf, type ResourceDefinition } from '#libs/resource/types/definition.js';
import type { Client } from '../harness/client.js';
import type { Json } from './operations.js';

/** Where a fixture makes its records. */
export interface Scene {
  tenantId: string;
  /** With a key of the tenant that may do everything. */
  api: Client;
  /** Past all isolation, for what no operation can make. */
  admin: pg.Pool;
  /** Stands in the name of every record. */
  label: string;
}

/** What an operation is called with. */
export interface Call {
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: Json;
}

/** How to call one operation so that it succeeds. */
export interface Fixture {
  /** Makes what the operation needs; the call that it answers succeeds once. */
  call(scene: Scene): Promise<Call>;
  /** Audit rows and events of one success. One of each for a write if not said, none for a read. */
  effects?: { audit: number; events: number };
  /** Scopes that it takes besides the one that the operation names: to read the record that the call is about. */
  scopes?: string[];
  /** Path parameter that names what is written, `answer` for what the answer is, or how the answer names it; the record of the call if not said. */
  subject?: string | ((answer: Json) => unknown);
  /** Its path names something that every tenant has by the same key; a change of it is one of the tenant. */
  everywhere?: boolean;
  /** What a query parameter takes beside it, by its name: alone it would be refused. */
  beside?: Record<string, Record<string, string>>;
  /** What its answer shows is on record, for each replay by an audit row of its own. */
  shows?: boolean;
  /** A second time the same call succeeds and does nothing. */
  once?: boolean;
}

/** Makes a record and answers its id. */
export type Maker = (scene: Scene) => Promise<string>;

/** What the generated tests need of an area. */
export interface AreaFixtures {
  /** One for each operation, by operation id. */
  fixtures: Record<string, Fixture>;
  /**
   * Makes a record that a member of a body or a query parameter can name, by the name of the member. `id` and `ids` name
   * what the operation's own fixture makes. With the operation id before it, only for that operation.
   */
  references: Record<string, Maker>;
}

/** The operations that a type has as it is declared, and what makes one of its records. */
export interface TypeFixtures {
  make: Maker;
  fixtures: Record<string, Fixture>;
}

/**
 * What every record type does, with bodies from its declaration; `more` are members that a new record needs besides, has
 * otherwise than in the documentation, or, if undefined, does not have.
 */
export function ofType(
  definition: ResourceDefinition,
  more: (scene: Scene) => Json | Promise<Json> = () => ({}),
): TypeFixtures {
  const [prefix, path] = [operationPrefix(definition), pathOf(definition)];
  const bodyOf = async (scene: Scene): Promise<Json> => {
    const body = { ...documentedBody(definition), name: `${definition.noun} ${scene.label}`, ...(await more(scene)) };
    return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  };
  const maker: Maker = async (scene) => make(scene.api, path, await bodyOf(scene));
  const shelf: Record<string, Fixture> = {
    archive: on(maker),
    unarchive: on(after(maker, path, 'archive')),
    restore: on(after(maker, path, 'delete')),
  };
  const actions = Object.entries(shelf).filter(([action]) => action in definition.lifecycle.transitions);
  return {
    make: maker,
    fixtures: {
      ...resource(prefix, maker, { create: () => ({}), patch: (label) => ({ name: `Changed ${label}` }) }),
      [`${prefix}.create`]: { call: async (scene) => ({ body: await bodyOf(scene) }) },
      ...Object.fromEntries(actions.map(([action, fixture]) => [`${prefix}.${action}`, fixture])),
    },
  };
}

/** The body of a new record in the documentation, without what only one record can have and the ids of others. */
function documentedBody({ bodies, entity, references = {} }: ResourceDefinition): Json {
  const attributes = attributesOf(entity);
  const members = Object.entries(bodies?.create ?? {}) as [string, unknown][];
  return Object.fromEntries(members.filter(([name]) => !(name in references) && !attributes.get(name)?.unique));
}

/** The standard operations of a resource. */
export function resource(
  prefix: string,
  maker: Maker,
  { create, patch }: { create: (label: string) => Json; patch: (label: string) => Json },
): Record<string, Fixture> {
  return {
    [`${prefix}.list`]: list(maker),
    [`${prefix}.create`]: { call: ({ label }) => Promise.resolve({ body: create(label) }) },
    [`${prefix}.get`]: on(maker),
    [`${prefix}.update`]: on(maker, ({ label }) => patch(label)),
    [`${prefix}.update_many`]: {
      call: async (scene) => ({ body: { id: await maker(scene), ...patch(scene.label) } }),
    },
    [`${prefix}.delete`]: on(maker),
    [`${prefix}.delete_many`]: { call: async (scene) => ({ query: { id: await maker(scene) } }) },
  };
}

/** The list, with one record in it. */
export function list(maker: Maker): Fixture {
  return { call: async (scene) => (await maker(scene), {}) };
}

/** The operation on one record. */
export function on(maker: Maker, body?: (scene: Scene) => Json | Promise<Json>): Fixture {
  return {
    call: async (scene) => ({ path: { id: await maker(scene) }, ...(body ? { body: await body(scene) } : {}) }),
  };
}

/** A record that an action was taken on. */
export function after(maker: Maker, path: string, action: string): Maker {
  return async (scene) => {
    const id = await maker(scene);
    const { api } = scene;
    const answer = action === 'delete' ? await api.delete(`${path}/${id}`) : await api.post(`${path}/${id}/${action}`);
    if (answer.status !== 200)
      throw new Error(`A fixture could not ${action} ${path}: ${answer.status} ${answer.text}`);
    return id;
  };
}

/** POSTs a record and answers its id. */
export async function make(api: Client, path: string, body: Json): Promise<string> {
  const answer = await api.post(path, body);
  if (answer.status !== 201) throw new Error(`A fixture could not POST ${path}: ${answer.status} ${answer.text}`);
  return String(answer.body['id']);
}

/** A person of the tenant. */
export async function member({ admin, tenantId, label }: Scene): Promise<string> {
  const id = uuidv7();
  await admin.query(
    `insert into data.memberships (tenant_id, id, email, name, status, created_at)
     values ($1, $2, $3, $4, 'active', now())`,
    [tenantId, id, `${id}@example.test`, `Member ${label}`],
  );
  return id;
}

export async function workspace({ admin, tenantId, label }: Scene): Promise<string> {
  const id = uuidv7();
  await admin.query(`insert into data.workspaces (tenant_id, id, name, created_at) values ($1, $2, $3, now())`, [
    tenantId,
    id,
    `Workspace ${label}`,
  ]);
  return id;
}
