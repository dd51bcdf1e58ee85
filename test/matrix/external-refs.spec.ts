import { randomUUID } from 'node:crypto';
import type { TestTenant } from '../harness/platform.js';
import type { Scene } from './fixture-parts.js';
import { callOf } from './fixtures.js';
import { type Running, sceneOf, send, startRunning, urlOf } from './running.js';

/** An external id is unique per record type. The operations that set one declare the conflict. */
const platform: Running = await startRunning();
const creates = platform.operations.filter(
  ({ method, alias, body }) => method === 'POST' && !alias && body?.properties?.['externalRefs'],
);
afterAll(() => platform.close());

let scene: TestTenant & Scene;
beforeAll(async () => {
  scene = sceneOf(platform, await platform.tenant(), 'named elsewhere');
});

it('finds types with external ids', () => {
  expect(creates.length).toBeGreaterThan(20);
});

it.each(creates)('$name refuses an id of another record, and so does a patch', async (operation) => {
  const externalRefs = [{ system: 'erp', id: randomUUID() }];
  const make = async (more: object) => {
    const call = await callOf(operation, scene);
    return send(scene.api, operation, { ...call, body: { ...call.body, ...more } }, {});
  };
  expect((await make({ externalRefs })).status).toBe(201);
  const duplicate = { status: 409, body: { code: 'duplicate', field: 'externalRefs' } };
  expect(await make({ externalRefs })).toMatchObject(duplicate);
  const { status, body } = await make({});
  expect(status).toBe(201);
  const path = urlOf(operation, {});
  expect(await scene.api.patch(`${path}/${String(body['id'])}`, { externalRefs })).toMatchObject(duplicate);
  const items = [{ id: body['id'], externalRefs }];
  expect((await scene.api.patch(path, { items })).body).toMatchObject({ results: [{ problem: duplicate.body }] });
});
