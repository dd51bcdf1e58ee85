import { randomUUID } from 'node:crypto';
import { actionsFrom, type Lifecycle } from '#libs/kernel/lifecycle.js';
import { operationPrefix, pathOf } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { endpointLifecycle } from '#src/areas/webhooks/endpoints/endpoint.lifecycle.js';
import type { Answer } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import type { Call, Scene } from './fixture-parts.js';
import { callOf, fixtureOf } from './fixtures.js';
import { subjectOf } from './foreign-ids.js';
import type { Operation } from './operations.js';
import { effectsOf, type Running, sceneOf, send, startRunning } from './running.js';
import { isProving } from './sample.js';

/** Every action in every state of every type does exactly what the type's transitions say. */
const platform: Running = await startRunning();
afterAll(() => platform.close());

let scene: TestTenant & Scene;
const scenes = new Map<string, TestTenant & Scene>();

/** One tenant per type, because all events of the tenant are counted and must not accumulate. */
async function enter({ type }: { type: string }): Promise<void> {
  const known = scenes.get(type);
  scene = known ?? sceneOf(platform, await platform.tenant(), 'moved');
  scenes.set(type, scene);
}

/** A type with a life cycle. */
interface Subject {
  type: string;
  /** Prefix of its operation ids. */
  prefix: string;
  path: string;
  lifecycle: Lifecycle;
  /** Field that shows the state. */
  stateField: string;
}

/** Types of the resource kit, and those with their own handlers. */
const subjects: Subject[] = [
  ...platform.app
    .get(ResourceRegistry)
    .all()
    .map((definition) => ({
      type: definition.type,
      prefix: operationPrefix(definition),
      path: pathOf(definition),
      lifecycle: definition.lifecycle,
      stateField: definition.stateField ?? 'status',
    })),
  {
    type: 'webhook.endpoint',
    prefix: 'webhooks.endpoints',
    path: '/api/webhooks/endpoints',
    lifecycle: endpointLifecycle,
    stateField: 'status',
  },
];

/** Position of a record: its state, and whether it is archived or in the trash. */
interface Position {
  state: string;
  place: 'live' | 'archived' | 'deleted';
}

/** Actions whose body names the new state. */
const FREE = new Set(['work.task.move']);
const isFree = ({ type }: Subject, action: string): boolean => FREE.has(`${type}.${action}`);

const kebab = (action: string): string => action.replaceAll('_', '-');

/** The transitions that a caller can request. */
const offered = ({ lifecycle }: Subject) =>
  Object.entries(lifecycle.transitions).filter(([, { byPlatform }]) => !byPlatform);

/** What the transitions and the rules of archive and trash allow. Implemented here independently on purpose. */
function allowedAt(subject: Subject, { state, place }: Position): string[] {
  const actions = offered(subject)
    .filter(([, { from }]) => from.includes(state))
    .map(([action]) => action);
  if (place === 'deleted') return actions.filter((action) => action === 'restore');
  if (place === 'archived') return actions.filter((action) => ['unarchive', 'delete', 'anonymize'].includes(action));
  return actions.filter((action) => !['unarchive', 'restore'].includes(action));
}

function positionAfter({ lifecycle }: Subject, { state, place }: Position, action: string): Position {
  const places: Record<string, Position['place']> = { archive: 'archived', unarchive: 'live', delete: 'deleted' };
  const back = action === 'restore' ? 'live' : place;
  return { state: lifecycle.transitions[action]!.to ?? state, place: places[action] ?? back };
}

/** All reachable positions, with the actions that lead there from a new record. */
function positionsOf(subject: Subject): { position: Position; way: string[] }[] {
  const start: Position = { state: subject.lifecycle.initial, place: 'live' };
  const found = [{ position: start, way: [] as string[] }];
  for (const { position, way } of found)
    for (const action of allowedAt(subject, position)) {
      const next = positionAfter(subject, position, action);
      const known = found.some((each) => each.position.state === next.state && each.position.place === next.place);
      if (!known) found.push({ position: next, way: [...way, action] });
    }
  return found;
}

function operationOf({ prefix, lifecycle }: Subject, action: string): Operation {
  const id = `${prefix}.${action}`;
  const operation = platform.operations.find((each) => each.id === id && !each.alias);
  if (!operation || !(action in lifecycle.transitions)) throw new Error(`There is no operation ${id}.`);
  return operation;
}

/** The action on one record, with the body of its fixture. */
async function act(subject: Subject, id: string, action: string): Promise<Answer> {
  const operation = operationOf(subject, action);
  const { body }: Call = await callOf(operation, scene);
  const requestId = { 'x-request-id': `req-${randomUUID()}` };
  return send(scene.api, operation, { path: { id }, ...(body ? { body } : {}) }, requestId);
}

/** What a record needs after an action before others are possible: an employment ends no earlier than it begins. */
const AFTERWARDS: Record<string, object> = { 'people.employees.activate': { startDate: '2024-01-01' } };

/** Creates a record and applies a path of actions. */
async function recordAt(subject: Subject, way: string[]): Promise<string> {
  const operation = platform.operations.find((each) => each.id === `${subject.prefix}.get` && !each.alias)!;
  const id = subjectOf(await fixtureOf(operation).call(scene))!;
  for (const action of way) {
    const answer = await act(subject, id, action);
    if (answer.status !== 200) throw new Error(`${action} on the way ${way.join(', ')}: ${answer.text}`);
    const patch = AFTERWARDS[`${subject.prefix}.${action}`];
    if (patch) await scene.api.patch(`${subject.path}/${id}`, patch);
  }
  return id;
}

const eventsOf = async (id: string): Promise<string[]> => {
  const { rows } = await platform.admin.query<{ type: string }>(
    'select type from data.events where tenant_id = $1 and subject_id = $2 order by id',
    [scene.id, id],
  );
  return rows.map(({ type }) => type);
};

const cases = subjects.flatMap((subject) =>
  positionsOf(subject).flatMap(({ position, way }) =>
    offered(subject).map(([action]) => ({
      subject,
      position,
      way,
      action,
      name: `${subject.type} ${position.state} ${position.place}: ${action}`,
      allowed: allowedAt(subject, position).includes(action),
    })),
  ),
);

type Case = (typeof cases)[number];

/** Actions common to all types. */
const OF_THE_KIT = ['archive', 'unarchive', 'delete', 'restore'];
const isOwn = ({ action }: Case): boolean => !OF_THE_KIT.includes(action);
const isFirst = (one: Case): boolean =>
  cases.find((each) =>
    ['subject', 'action', 'allowed'].every((key) => each[key as 'action'] === one[key as 'action']),
  ) === one;

/**
 * Cases to try: everything for types tested in full, and a type's own actions wherever they are allowed. The kit
 * enforces the transitions, so one position suffices for refusals and for common actions.
 */
const tried = cases.filter((each) => isProving(each.subject.prefix) || (each.allowed && isOwn(each)) || isFirst(each));

describe('the transitions', () => {
  it('reach every state, and every action is both allowed and refused where possible', () => {
    for (const subject of subjects) {
      const { states, initial } = subject.lifecycle;
      const reached = new Set(positionsOf(subject).map(({ position }) => position.state));
      const { transitions } = subject.lifecycle;
      const isTarget = (state: string) => (one: { to: string | null }) => one.to === state;
      // Where only the platform takes a record, and from where others go on.
      const beyond = states.filter(
        (state) =>
          state !== initial &&
          Object.values(transitions).some(isTarget(state)) &&
          !offered(subject).some(([, each]) => isTarget(state)(each)),
      );
      const reachable = states.filter(
        (state) =>
          state === initial ||
          offered(subject).some(([, each]) => isTarget(state)(each) && each.from.some((one) => !beyond.includes(one))),
      );
      expect({ type: subject.type, reached: [...reached].sort() }).toEqual({
        type: subject.type,
        reached: reachable.sort(),
      });
      for (const [action, { from }] of offered(subject)) {
        if (from.every((state) => beyond.includes(state))) continue; // tested with its type
        const own = cases.filter((each) => each.subject === subject && each.action === action);
        expect({ action, allowed: own.some(({ allowed }) => allowed) }).toEqual({ action, allowed: true });
      }
    }
  });

  it('are all known to the kit', () => {
    for (const subject of subjects)
      for (const state of subject.lifecycle.states)
        expect(actionsFrom(subject.lifecycle, state)).toEqual(
          offered(subject)
            .filter(([, { from }]) => from.includes(state))
            .map(([action]) => action),
        );
  });
});

describe.each(tried.filter(({ allowed }) => allowed))('$name', ({ subject, position, way, action }) => {
  beforeAll(() => enter(subject));

  it('is executed once, with its event', async () => {
    const { transitions } = subject.lifecycle;
    const id = await recordAt(subject, way);
    const before = await eventsOf(id);
    const answer = await act(subject, id, action);
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200, body: { id } });
    expect(await eventsOf(id)).toEqual([...before, `${subject.type}.${transitions[action]!.event}`]);
    const next = positionAfter(subject, position, action);
    if (next.place === 'deleted') {
      expect(answer.body).toMatchObject({ deleted: true, object: subject.type });
      return expect(await scene.api.get(`${subject.path}/${id}`)).toMatchObject({ status: 404 });
    }
    const { body } = await scene.api.get(`${subject.path}/${id}`);
    const expected = {
      version: before.length + 1,
      ...(subject.lifecycle.states.length > 1 && !isFree(subject, action) ? { [subject.stateField]: next.state } : {}),
      ...('allowedActions' in body && !isFree(subject, action)
        ? { allowedActions: allowedAt(subject, next).map(kebab) }
        : {}),
      ...('archivedAt' in body ? { deletedAt: null } : {}),
    };
    expect(body).toMatchObject(expected);
    if ('archivedAt' in body) expect(body['archivedAt'] !== null).toBe(next.place === 'archived');
    expect(answer.body).toMatchObject(expected);
  });
});

/** What is tried and refused, by position: a refusal changes nothing, so one record serves all of them. */
const refused = [
  ...Map.groupBy(
    tried.filter(({ allowed }) => !allowed),
    ({ subject, position }) => `${subject.type} ${position.state} ${position.place}`,
  ),
].map(([name, each]) => ({ ...each[0]!, name, actions: each.map(({ action }) => action) }));

describe.each(refused)('$name', ({ subject, position, way, actions }) => {
  beforeAll(() => enter(subject));

  it(`refuses ${actions.join(', ')} without writing anything`, async () => {
    const id = await recordAt(subject, way);
    const read = () => platform.admin.query(`select * from data.${tableOf(subject)} where id = $1`, [id]);
    for (const action of actions) {
      await callOf(operationOf(subject, action), scene); // creates what the body references, which emits other events
      const row = (await read()).rows;
      const before = await eventsOf(id);
      const answer = await act(subject, id, action);
      const outcome = { action, status: answer.status, body: answer.body };
      if (position.place === 'deleted')
        expect(outcome).toMatchObject({ action, status: 404, body: { code: 'not_found' } });
      else if (action === 'delete')
        expect(outcome).toMatchObject({ action, status: 409, body: { code: 'record_locked' } });
      else
        expect(outcome).toMatchObject({
          action,
          status: 409,
          body: {
            code: 'invalid_transition',
            state: position.state,
            action: kebab(action),
            allowedActions: allowedAt(subject, position).map(kebab),
          },
        });
      expect((await read()).rows).toEqual(row);
      expect(await eventsOf(id)).toEqual(before);
      const audit = await platform.admin.query(
        'select 1 from data.audit_log where tenant_id = $1 and request_id = $2',
        [scene.id, answer.headers.get('x-request-id')],
      );
      expect(audit.rowCount).toBe(0);
    }
  });
});

function tableOf({ type, prefix }: Subject): string {
  return type === 'webhook.endpoint' ? 'webhook_endpoints' : prefix.replace('.', '_');
}

/** Whether an action writes more than its record, so that a second run would show elsewhere. */
const writesMore = ({ subject, action }: Case): boolean =>
  fixtureOf(operationOf(subject, action)).effects !== undefined;

/** Actions that cannot be repeated. */
const unrepeatable = tried.filter(
  (each) =>
    each.allowed &&
    !allowedAt(each.subject, positionAfter(each.subject, each.position, each.action)).includes(each.action) &&
    (isProving(each.subject.prefix) || (isOwn(each) && isFirst(each))),
);

/**
 * The kit lets one of several concurrent requests win: tried with every action of the types tested in full, with one of
 * each other type, and with those that write more than their record.
 */
const once = unrepeatable.filter(
  (each) =>
    isProving(each.subject.prefix) ||
    writesMore(each) ||
    unrepeatable.find(({ subject }) => subject === each.subject) === each,
);

describe.each(once)('$name', ({ subject, way, action }) => {
  beforeAll(() => enter(subject));

  it('has one effect with eight concurrent requests', async () => {
    const id = await recordAt(subject, way);
    const { body }: Call = await callOf(operationOf(subject, action), scene);
    const events = (await effectsOf(platform.admin, scene.id)).events;
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        send(scene.api, operationOf(subject, action), { path: { id }, ...(body ? { body } : {}) }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    for (const status of statuses.slice(1)) expect([404, 409]).toContain(status);
    const effects = fixtureOf(operationOf(subject, action)).effects?.events ?? 1;
    expect((await effectsOf(platform.admin, scene.id)).events).toBe(events + effects);
  });
});
