import { operationPrefix, type ResourceDefinition } from '#libs/resource/types/definition.js';
import { permissionsOf, type Place, PLACES, ReachStage, subjectsOf } from './reach-subjects.js';
import { NOWHERE } from './operations.js';
import { type Running, startRunning } from './running.js';
import { isProving } from './sample.js';

/**
 * Each record type with a member whose rights reach only some records. Records that the type itself conceals are those
 * not visible with rights for the whole tenant.
 */
const platform: Running = await startRunning();
afterAll(() => platform.close());

const REACHED: Record<'own' | 'workspace', Place[]> = { own: ['mine'], workspace: ['mine', 'here', 'nowhere'] };

let stage: ReachStage;
/** The records visible with all permissions. */
let shown: Place[];

async function openStage(definition: ResourceDefinition): Promise<void> {
  stage = await ReachStage.open(platform, definition);
  await stage.hold(permissionsOf(definition));
  shown = await stage.listed();
}

const among = (places: Place[]) => places.filter((place) => shown.includes(place));

const subjects = subjectsOf(platform);
const reaching = (permissions: string[], reach: string) => permissions.map((permission) => `${permission}@${reach}`);

describe.each(subjects)('$type', (definition) => {
  const permissions = permissionsOf(definition);
  const all = (reach: string) => reaching(permissions, reach);

  beforeAll(() => openStage(definition));
  afterEach(() => stage.withoutExceptions());

  it('returns everything with full reach', async () => {
    await stage.hold(permissions);
    expect(shown.length).toBeGreaterThan(0);
    expect(await stage.readable()).toEqual(shown);
  });

  it.each(['own', 'workspace'] as const)('returns only records within the reach @%s', async (reach) => {
    await stage.hold(all(reach));
    expect(await stage.listed()).toEqual(among(REACHED[reach]));
    expect(await stage.readable()).toEqual(among(REACHED[reach]));
  });

  it('returns nothing without the permission', async () => {
    await stage.hold([]);
    expect(await stage.readable()).toEqual([]);
    expect((await stage.member.api.get(stage.path)).status).toBe(403);
  });

  it('hides denied records regardless of roles', async () => {
    await stage.hold(permissions);
    for (const place of shown) {
      await stage.except('deny', 'view', { id: stage.ids[place] });
      const left = shown.filter((each) => each !== place);
      expect(await stage.listed()).toEqual(left);
      expect(await stage.readable()).toEqual(left);
      expect((await stage.call(stage.operation('update')!, place)).status).toBe(404);
      await stage.withoutExceptions();
    }
    await stage.except('deny', 'edit', { workspaceId: stage.elsewhere });
    expect(await stage.listed()).toEqual(shown);
    for (const place of among(['mine', 'elsewhere']))
      expect((await stage.call(stage.operation('update')!, place)).status).toBe(403);
  });
});

/** The following is handled by the kit for all types. */
const proving = subjects.filter((definition) => isProving(operationPrefix(definition)));

describe.each(proving)('$type', (definition) => {
  const permissions = permissionsOf(definition);
  const { read, write } = definition.permissions;
  const all = (reach: string) => reaching(permissions, reach);

  beforeAll(() => openStage(definition));
  afterEach(() => stage.withoutExceptions());

  it('allows changes within a narrow write reach and refuses records that are only readable', async () => {
    const update = stage.operation('update')!;
    await stage.hold([`${read}@workspace`, ...all('own').filter((each) => !each.startsWith(`${read}@`))]);
    for (const place of shown) {
      const { status, body } = await stage.call(update, place);
      if (place === 'mine') expect([403, 404]).not.toContain(status);
      else if (place === 'elsewhere') expect(status).toBe(404);
      else expect({ status, code: body['code'] }).toEqual({ status: 403, code: 'permission_denied' });
    }
  });

  it('allows and offers actions only within their reach', async () => {
    await stage.hold([`${read}@workspace`, ...all('own').filter((each) => !each.startsWith(`${read}@`))]);
    for (const action of ['delete', ...Object.keys(definition.lifecycle.transitions)]) {
      const operation = stage.operation(action);
      if (!operation || !shown.includes('here')) continue;
      const { permission } = definition.lifecycle.transitions[action]!;
      if (permission === read) continue;
      expect((await stage.call(operation, 'elsewhere')).status).toBe(404);
      expect((await stage.call(operation, 'here')).status).toBe(403);
    }
    for (const place of among(['here', 'nowhere'])) {
      const { body } = await stage.member.api.get(`${stage.path}/${stage.ids[place]}`);
      const own = Object.entries(definition.lifecycle.transitions).filter(([, each]) => each.permission !== read);
      const offered = body['allowedActions'] as string[];
      for (const [action] of own) expect(offered).not.toContain(action.replaceAll('_', '-'));
    }
  });

  it('allows new records only within the write reach', async () => {
    await stage.hold([...permissions.filter((each) => each !== write), `${write}@own`]);
    expect((await stage.make({ workspaceId: stage.elsewhere })).status).toBe(403);
    expect((await stage.make({ workspaceId: stage.here })).status).toBe(201);
  });

  it('refuses to move a record into a workspace of others', async () => {
    await stage.hold([read, `${write}@own`]);
    const move = (workspaceId: string) => stage.member.api.patch(`${stage.path}/${stage.ids.mine}`, { workspaceId });
    expect((await move(stage.here)).status).toBe(200);
    expect((await move(stage.elsewhere)).status).toBe(403);
    await stage.hold([read, write]);
    expect((await move(stage.elsewhere)).status).toBe(200);
  });

  it('allows access by exception up to its level', async () => {
    await stage.hold([]);
    const update = stage.operation('update')!;
    for (const place of shown) {
      await stage.except('allow', 'view', { id: stage.ids[place] });
      expect(await stage.listed()).toEqual([place]);
      expect(await stage.readable()).toEqual([place]);
      expect((await stage.call(update, place)).status).toBe(403);
      await stage.withoutExceptions();
      await stage.except('allow', 'edit', { id: stage.ids[place] });
      const changed = (await stage.call(update, place)).status;
      if (write.endsWith(':write')) expect([403, 404]).not.toContain(changed);
      else expect(changed).toBe(403);
      await stage.withoutExceptions();
    }
    await stage.except('allow', 'view', { workspaceId: stage.elsewhere });
    expect(await stage.listed()).toEqual(among(['mine', 'elsewhere']));
  });

  it('does not distinguish a record out of reach from an unknown one', async () => {
    await stage.hold(all('own'));
    const answer = async (id: string) => {
      const { status, body } = await stage.member.api.get(`${stage.path}/${id}`);
      return { ...body, status, requestId: null, instance: null };
    };
    const gone = await answer(NOWHERE);
    for (const place of PLACES.filter((each) => each !== 'mine')) expect(await answer(stage.ids[place])).toEqual(gone);
  });
});
