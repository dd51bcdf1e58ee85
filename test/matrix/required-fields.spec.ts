import { fieldsOf } from '#libs/http/field.js';
import { operationPrefix, type ResourceDefinition } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { TestTenant } from '../harness/platform.js';
import type { Scene } from './fixture-parts.js';
import { callOf } from './fixtures.js';
import { SAFE_POSTS } from './operations.js';
import { type Running, sceneOf, send, startRunning } from './running.js';

/** A required custom field binds the caller who creates a record, and nobody else. */
const platform: Running = await startRunning();
afterAll(() => platform.close());

const types = platform.app
  .get(ResourceRegistry)
  .all()
  .filter(({ create }) => fieldsOf(create).has('customFields'));
const creates = new Map(types.map((definition) => [`${operationPrefix(definition)}.create`, definition]));
const writes = platform.operations.filter(
  ({ method, alias, open, id }) => method === 'POST' && !alias && !open && !SAFE_POSTS.has(id),
);

let scene: TestTenant & Scene;
beforeAll(async () => {
  scene = sceneOf(platform, await platform.tenant(), 'required');
  for (const { type: recordType } of types) {
    const field = { recordType, key: 'costCentre', label: 'Cost centre', fieldType: 'text' };
    expect((await scene.api.post('/api/settings/custom-fields', field)).status).toBe(201);
  }
});

/** Requires the field of these types only. */
async function require(wanted: readonly ResourceDefinition[]): Promise<void> {
  await platform.admin.query(
    'update data.settings_custom_fields set required = (record_type = any($2)) where tenant_id = $1',
    [scene.id, wanted.map(({ type }) => type)],
  );
  await scene.api.get('/api/settings/custom-fields?limit=1'); // so that the process knows
}

it('is tried with many types', () => {
  expect(types.length).toBeGreaterThan(20);
});

it.each(writes.filter(({ id }) => creates.has(id)))('$name requires the field of its body', async (operation) => {
  const definition = creates.get(operation.id)!;
  const call = await callOf(operation, scene);
  await require([definition]);
  try {
    const { status, body } = await send(scene.api, operation, call);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/customFields/costCentre', code: 'required' }] },
    });
  } finally {
    await require([]);
  }
});

it.each(writes)('$name creates other records without the field', async (operation) => {
  const call = await callOf(operation, scene);
  await require(types.filter((each) => each !== creates.get(operation.id)));
  try {
    const { status, text } = await send(scene.api, operation, call);
    expect(status < 300 ? 'done' : text).toBe('done');
  } finally {
    await require([]);
  }
});
