import type pg from 'pg';
import { fieldsOf, type ModelClass } from '#libs/http/field.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { attributesOf } from '#libs/resource/types/attribute.js';
import { operationPrefix, pathOf, type ResourceDefinition } from '#libs/resource/types/definition.js';
import { kebab, STANDARD_ACTIONS } from '#libs/resource/types/standard-actions.js';
import type { Client } from '../harness/client.js';
import { exampleBody, type Json } from './operations.js';

/** The environment in which a fixture creates its records. */
export interface Scene {
  tenantId: string;
  /** Client with a key of the tenant that has all permissions. */
  api: Client;
  /** Direct database access for data that no operation can create. */
  admin: pg.Pool;
  /** Part of the name of every record. */
  label: string;
}

/** Arguments of a call. */
export interface Call {
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: Json;
}

/** How to call one operation so that it succeeds. */
export interface Fixture {
  /** Creates what the operation needs; returns a call that succeeds once. */
  call(scene: Scene): Promise<Call>;
  /** Audit rows and events of one success. Defaults to one of each for a write and none for a read. */
  effects?: { audit: number; events: number };
  /** Scopes required in addition to that of the operation, to read the record of the call. */
  scopes?: string[];
  /**
   * Path parameter with the id of the written object, `answer` for the id in the response, or the name of a response
   * member; defaults to the record of the call.
   */
  subject?: string | ((answer: Json) => unknown);
  /** The key in its path exists in every tenant; a change affects only the caller's tenant. */
  everywhere?: boolean;
  /** Query parameters that must accompany another one, by its name. */
  beside?: Record<string, Record<string, string>>;
  /** The data shown in its response is audited, also for each replay. */
  shows?: boolean;
  /** The same call can be repeated without effect. */
  once?: boolean;
}

/** Creates a record and returns its id. */
export type Maker = (scene: Scene) => Promise<string>;

/** Data of an area for the generated tests. */
export interface AreaFixtures {
  /** One entry per operation, by operation id. */
  fixtures: Record<string, Fixture>;
  /**
   * Creates a record for a reference in a body or query parameter, by the name of the member. `id` and `ids` refer to
   * the record of the operation's own fixture. Prefixed with an operation id, it applies to that operation only; with `body `
   * between them, to its body.
   */
  references: Record<string, Maker>;
}

/** The declared operations of a type, and the creation of its records. */
export interface TypeFixtures {
  make: Maker;
  fixtures: Record<string, Fixture>;
}

/**
 * Fixtures of the standard operations of a record type, with bodies from its declaration. `more` adds or overrides
 * members of a new record; undefined removes one.
 */
export function ofType(
  definition: ResourceDefinition,
  more: (scene: Scene) => Json | Promise<Json> = () => ({}),
): TypeFixtures {
  const [prefix, path] = [operationPrefix(definition), pathOf(definition)];
  const named = (body: ModelClass, name: string): Json | null => (fieldsOf(body).has('name') ? { name } : null);
  const bodyOf = async (scene: Scene): Promise<Json> => {
    const name = named(definition.create, `${definition.noun} ${scene.label}`);
    const body = { ...documentedBody(definition), ...name, ...(await more(scene)) };
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
      ...resource(prefix, maker, {
        create: () => ({}),
        patch: (label) => named(definition.update, `Changed ${label}`) ?? { ...definition.bodies?.update },
      }),
      [`${prefix}.create`]: { call: async (scene) => ({ body: await bodyOf(scene) }) },
      ...Object.fromEntries(actions.map(([action, fixture]) => [`${prefix}.${action}`, fixture])),
    },
  };
}

/**
 * Fixtures of a record type's own actions, from its life cycle: each on a new record that the actions before it have
 * brought into the first state that allows it. Bodies are those of the documentation, or else examples of the required
 * members; an action that refers to another record needs a fixture of its area.
 */
export function ofActions(definition: ResourceDefinition, maker: Maker): Record<string, Fixture> {
  const { lifecycle, bodies = {}, inputs } = definition;
  const [prefix, path] = [operationPrefix(definition), pathOf(definition)];
  const own = Object.entries(lifecycle.transitions).filter(
    ([action, { byPlatform }]) => !byPlatform && !(action in STANDARD_ACTIONS),
  );
  const bodyOf = (action: string): Json | undefined => {
    const [documented, input] = [bodies[action], inputs[action]];
    return documented ? { ...documented } : input && exampleBody(inlineSchemaOf(input));
  };
  const ways = new Map<string, string[]>([[lifecycle.initial, []]]);
  for (const [state, way] of ways)
    for (const [action, { from, to }] of own)
      if (to !== null && from.includes(state) && !ways.has(to)) ways.set(to, [...way, action]);
  return Object.fromEntries(
    own.map(([action, { from }]) => {
      const way = [...ways].find(([state]) => from.includes(state))?.[1] ?? [];
      const at = way.reduce((before, step) => after(before, path, kebab(step), bodyOf(step)), maker);
      const body = bodyOf(action);
      return [`${prefix}.${action}`, body ? on(at, () => body) : on(at)];
    }),
  );
}

/** The body of a new record from the documentation, without unique values and references. */
function documentedBody({ bodies, entity, references, named }: ResourceDefinition): Json {
  const attributes = attributesOf(entity);
  const members = Object.entries(bodies?.create ?? {}) as [string, unknown][];
  return Object.fromEntries(
    members.filter(([name]) => !(name in { ...references, ...named }) && !attributes.get(name)?.unique),
  );
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

/** A record after an action. */
export function after(maker: Maker, path: string, action: string, body?: Json): Maker {
  return async (scene) => {
    const id = await maker(scene);
    const { api } = scene;
    const answer =
      action === 'delete' ? await api.delete(`${path}/${id}`) : await api.post(`${path}/${id}/${action}`, body);
    if (answer.status !== 200)
      throw new Error(`A fixture could not ${action} ${path}: ${answer.status} ${answer.text}`);
    return id;
  };
}

/** POSTs a record and returns its id. */
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
