import { approvals } from '#libs/resource/gates/approval.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { operationPrefix, pathOf, type ResourceDefinition } from '#libs/resource/types/definition.js';
import { callOf } from './fixtures.js';
import type { Json } from './operations.js';
import { type Running, sceneOf, startRunning } from './running.js';

/** Every list of records can be searched. */
const platform: Running = await startRunning();
afterAll(() => platform.close());

const registered = platform.app.get(ResourceRegistry).all();
const definitions = [...registered, approvals as unknown as ResourceDefinition]; // its service is not registered

it.each(definitions.map((definition) => ({ type: definition.type, definition })))(
  'lists of $type find words of names and references',
  async ({ definition }) => {
    const own = sceneOf(platform, await platform.tenant(), 'own');
    const other = sceneOf(platform, await platform.tenant(), 'other');
    const get = platform.operations.find(({ id }) => id === `${operationPrefix(definition)}.get`)!;
    const { path } = await callOf(get, own);
    await callOf(get, other);
    const { body } = await own.api.get(`${pathOf(definition)}/${path!['id']}`);
    const { id, name, reference } = body as Json & { id: string; name: string; reference: string };
    for (const words of [name, reference, reference.toLowerCase(), `${reference} ${name.slice(0, 3)}`]) {
      const q = encodeURIComponent(words);
      const { status, body: found } = await own.api.get<{ data: Json[]; page: { total: number } }>(
        `${pathOf(definition)}?q=${q}&count=true&limit=1&ids=${id}`,
      );
      expect({ words, status, found }).toMatchObject({
        words,
        status: 200,
        found: { data: [{ id }], page: { total: 1 } },
      });
    }
    const nowhere = await own.api.get(`${pathOf(definition)}?q=zzyzx&count=true`);
    expect(nowhere).toMatchObject({ status: 200, body: { data: [], page: { total: 0 } } });
  },
);
