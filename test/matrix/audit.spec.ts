import { createHash, randomUUID } from 'node:crypto';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { EventCheck } from '#libs/outbox/event-check.js';
import { AUDITED } from '../harness/audit.js';
import { Contract } from '../harness/contract.js';
import type { TestTenant } from '../harness/platform.js';
import type { Call, Scene } from './fixture-parts.js';
import { callOf, fixtureOf } from './fixtures.js';
import { subjectOf } from './foreign-ids.js';
import { makeKey, type TestKey } from './keys.js';
import { type Json, NOWHERE, type Operation } from './operations.js';
import { credentialFor, effectsOf, malformed, problem, type Running, sceneOf, send, startRunning } from './running.js';
import { isProving, sampleOfKit, topicOf } from './sample.js';
import { fingerprintOf } from './tenant-fingerprint.js';

/** Every change writes exactly one audit row and one event in the same transaction; a refusal writes none. */
const platform: Running = await startRunning();
/** Without the short paths, which are rewritten to the long ones before routing. */
const writes = platform.operations.filter(({ open, method, alias }) => !open && !alias && method !== 'GET');
const sampled = sampleOfKit(platform, writes);
const catalogue = platform.app.get(EventCatalogue);
const check = new EventCheck(catalogue);
/** What reads the record at a path. */
const readerOf = (path: string) => Contract.of(platform.document).operationOf('GET', path);
afterAll(() => platform.close());

let scene: TestTenant & Scene;
let callers: Record<'api_key' | 'scim_token', TestKey>;
const callerOf = ({ scim }: Operation): TestKey => callers[scim ? 'scim_token' : 'api_key'];
/** One tenant per operation, because all rows of the tenant are compared and must not accumulate. */
async function newScene(): Promise<void> {
  scene = sceneOf(platform, await platform.tenant(), 'audited');
  callers = {
    api_key: await makeKey(platform.admin, scene.id),
    scim_token: await makeKey(platform.admin, scene.id, { kind: 'scim_token', scopes: [] }),
  };
  await scene.api.get('/api/v1/sales/pipelines'); // the default pipeline is created, and recorded, on first use
}
beforeAll(newScene);

interface Entry {
  action: string;
  outcome: string;
  actor: Json;
  target: { type: string; id: string };
  requestId: string;
  tenantId: string;
}

interface Envelope {
  type: string;
  schemaVersion: number;
  actor: Json;
  subject: { type: string; id: string; version: number; url: string };
  requestId: string;
  tenantId: string;
  data: Json;
}

async function recordedBy(requestId: string): Promise<{ entries: Entry[]; events: Envelope[] }> {
  const audit = await platform.admin.query<{
    entry: string;
    audited: string;
    details: string;
    leaf_hash: Buffer;
    details_salt: Buffer;
  }>(
    `select entry, ${AUDITED} as audited, details, leaf_hash, details_salt from data.audit_log
     where tenant_id = $1 and request_id = $2 order by id`,
    [scene.id, requestId],
  );
  for (const { entry, details, leaf_hash, details_salt } of audit.rows) {
    expect(leaf_hash).toEqual(createHash('sha256').update('\0').update(entry).digest());
    const committed = createHash('sha256').update(details_salt).update(details).digest('hex');
    expect(JSON.parse(entry)).toMatchObject({ detailsCommitment: committed });
    for (const member of ['reason', 'changes']) expect(JSON.parse(entry)).not.toHaveProperty(member);
  }
  const events = await platform.admin.query<{ envelope: string }>(
    `select envelope from data.events where tenant_id = $1 and envelope::jsonb ->> 'requestId' = $2 order by id`,
    [scene.id, requestId],
  );
  return {
    entries: audit.rows.map(({ audited }) => JSON.parse(audited) as Entry),
    events: events.rows.map(({ envelope }) => JSON.parse(envelope) as Envelope),
  };
}

/** Id of the object that an operation has written. */
function writtenBy(operation: Operation, call: Call, body: Json): unknown {
  const { subject, everywhere } = fixtureOf(operation);
  if (typeof subject === 'function') return subject(body);
  if (subject === 'answer') return body['id'];
  if (everywhere) return scene.id;
  return subject ? call.path?.[subject] : (subjectOf(call) ?? body['id']);
}

/** Sends a call with the caller's key and a unique request id; returns what was written in the whole tenant. */
async function observe(operation: Operation, call: Call, headers: Record<string, string> = {}) {
  const requestId = `req-${randomUUID()}`;
  const before = await effectsOf(platform.admin, scene.id);
  const answer = await send(platform.anonymous(), operation, call, {
    ...credentialFor(operation, callerOf(operation).text),
    'x-request-id': requestId,
    ...headers,
  });
  const after = await effectsOf(platform.admin, scene.id);
  expect(answer.headers.get('x-request-id')).toBe(requestId);
  return {
    answer,
    requestId,
    written: { audit: after.audit - before.audit, events: after.events - before.events },
    ...(await recordedBy(requestId)),
  };
}

const NOTHING = { audit: 0, events: 0 };
const effectsOfOne = (operation: Operation) => fixtureOf(operation).effects ?? { audit: 1, events: 1 };

describe.each(writes)('$name', (operation) => {
  beforeAll(newScene);

  const expected = () => effectsOfOne(operation);

  it('writes one audit row and one event, with caller and request', async () => {
    const call = await callOf(operation, scene);
    const { answer, requestId, written, entries, events } = await observe(operation, call);
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: operation.success });
    expect(written).toEqual(expected());
    expect({ audit: entries.length, events: events.length }).toEqual(expected());
    const actor = { type: operation.scim ? 'scim' : 'api_key', id: callerOf(operation).id, name: 'test key' };
    const subject = writtenBy(operation, call, answer.body);
    // An operation that affects other records writes an event for each of them.
    if (entries.length > 0) expect(entries.map(({ target }) => target.id)).toContain(subject ?? null);
    for (const entry of entries) expect(entry).toMatchObject({ actor, requestId, tenantId: scene.id });
    for (const [i, event] of events.entries()) {
      const { id } = entries[i]!.target;
      expect(event).toMatchObject({ actor, requestId, tenantId: scene.id, subject: { id } });
      expect(event).toMatchObject({ type: entries[i]!.action, subject: { type: entries[i]!.target.type } });
      expect(entries[i]).toMatchObject({ outcome: 'success' });
      expect(event.data).toMatchObject({ id });
      expect(check.faultOf({ ...event, sequence: '1' })).toBeNull();
      const { exampleUrl } = catalogue.find(event.type, event.schemaVersion)!;
      expect(readerOf(event.subject.url)).toBe(readerOf(exampleUrl));
    }
    expect(JSON.stringify([entries, events])).not.toMatch(/whsec_|Sealed|top_live_/);
  });
});

describe.each(sampled)('$name', (operation) => {
  beforeAll(newScene);

  const takesIfMatch = operation.parameters.some(({ in: place, name }) => place === 'header' && name === 'If-Match');

  it('writes nothing when it changes nothing', async () => {
    const call = await callOf(operation, scene);
    await send(scene.api, operation, call);
    const { answer, written } = await observe(operation, call);
    const isOnce = ['PATCH', 'PUT'].includes(operation.method) || fixtureOf(operation).once;
    if (answer.status >= 400 || isOnce) expect(written).toEqual(NOTHING);
    else expect(written).toEqual(effectsOfOne(operation));
  });

  it('writes nothing when it is refused', async () => {
    const call = await callOf(operation, scene);
    const bad: [Call, Record<string, string>, number][] = [
      ...malformed(operation, call).map((each) => [each, {}, 400] as const),
      ...(call.path ? ([[{ ...call, path: { ...call.path, id: NOWHERE } }, {}, 404]] as const) : []),
      ...(takesIfMatch ? ([[call, { 'if-match': '"999"' }, 412]] as const) : []),
    ] as [Call, Record<string, string>, number][];
    const before = await fingerprintOf(platform.admin, scene.id);
    for (const [each, headers, status] of bad) {
      const { answer, written, entries } = await observe(operation, each, headers);
      expect({ status: answer.status, body: answer.body, written, entries }).toMatchObject({
        status,
        written: NOTHING,
        entries: [],
      });
    }
    expect(await fingerprintOf(platform.admin, scene.id)).toEqual(before);
  });
});

describe('several records at once', () => {
  const many = writes.filter(({ id }) => id.endsWith('_many'));

  it.each(many)('$name writes one audit row and one event for each changed record', async (operation) => {
    const ids: string[] = [];
    let patch: Json = {};
    for (const label of ['one', 'two']) {
      const call = await callOf(operation, { ...scene, label });
      ids.push(subjectOf(call)!);
      const { id: _, ...rest } = call.body ?? {};
      patch = rest;
    }
    const all = [ids[0]!, NOWHERE, ids[1]!];
    const call: Call =
      operation.method === 'DELETE'
        ? { query: { ids: all.join(',') } }
        : { body: { items: all.map((id) => ({ id, ...patch })) } };
    const { answer, written, entries, events } = await observe(operation, call);
    expect(answer).toMatchObject({ status: 200, body: { results: [{ ok: true }, { ok: false }, { ok: true }] } });
    expect(written).toEqual({ audit: 2, events: 2 });
    expect(entries.map(({ target }) => target.id)).toEqual(ids);
    expect(events.map(({ subject }) => subject.id)).toEqual(ids);
  });
});

describe('atomicity', () => {
  const MOMENTS = {
    'the event': 'before insert on data.events for each row',
    'the audit row': 'before insert on data.audit_log for each row',
    // Stored with the effect or in the existing claim; either way it is a row with a response.
    'the stored answer':
      'before insert or update on data.idempotency_keys for each row when (new.completed_at is not null)',
  };
  // Made once: each change of a table would have all its queries planned again.
  beforeAll(async () => {
    await platform.admin.query(`
      create table public.broken (tenant_id uuid, what text);
      create function public.break_it() returns trigger language plpgsql security definer as $$ begin
        if exists (select from public.broken where tenant_id = new.tenant_id and what = tg_argv[0]) then
          raise exception 'broken on purpose';
        end if;
        return new;
      end $$`);
    for (const [what, moment] of Object.entries(MOMENTS))
      await platform.admin.query(`create trigger break_it ${moment} execute function public.break_it('${what}')`);
  });
  afterEach(() => platform.admin.query('delete from public.broken').then(() => undefined));

  // All three are written in one place, so one of them suffices for most operations.
  const cases = sampled
    .filter((operation) => effectsOfOne(operation).events > 0)
    .flatMap((operation) =>
      Object.keys(MOMENTS)
        .filter((what) => operation.idempotent || what !== 'the stored answer')
        .slice(0, isProving(topicOf(operation)) ? 3 : 1)
        .map((what) => ({ name: operation.name, what, operation })),
    );

  it.each(cases)('writes nothing if $what cannot be written: $name', async ({ what, operation }) => {
    await newScene();
    const call = await callOf(operation, scene);
    const before = await fingerprintOf(platform.admin, scene.id);
    await platform.admin.query('insert into public.broken values ($1, $2)', [scene.id, what]);
    const answer = await send(scene.api, operation, call, { 'idempotency-key': randomUUID() });
    await platform.admin.query('delete from public.broken');
    expect(await fingerprintOf(platform.admin, scene.id)).toEqual(before);
    expect(answer).toMatchObject(problem(operation, 500, 'internal_error'));
    expect(answer.text).not.toContain('broken on purpose');
    expect(await send(scene.api, operation, call)).toMatchObject({ status: operation.success });
  });
});
