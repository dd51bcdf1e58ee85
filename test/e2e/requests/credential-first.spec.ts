import { documentedOperations } from '#libs/http/openapi/references.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { fromSomewhere } from '../auth/door.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
});
afterAll(() => platform.close());

/** All operations that require a credential, whoever checks it. The tokens of partners' clients are in the body. */
const guarded = () =>
  documentedOperations(platform.document as { paths: object }).filter(
    ({ operation: { security = [] } }) => security.length > 0 && !JSON.stringify(security).includes('oauthClient'),
  );

it('no operation judges the input of callers without a credential', async () => {
  const operations = guarded();
  expect(operations.length).toBeGreaterThan(500);
  const wrong: string[] = [];
  for (const { path, method, operation } of operations) {
    const hasBody = !['GET', 'HEAD'].includes(method.toUpperCase());
    for (const headers of [{}, { authorization: 'Bearer nonsense' }] as Record<string, string>[]) {
      const answer = await fetch(`${platform.url}${path.replaceAll(/\{\w+\}/g, 'nonsense')}?unknown=1`, {
        method: method.toUpperCase(),
        redirect: 'manual',
        headers: { ...fromSomewhere(), ...headers, ...(hasBody ? { 'content-type': 'application/json' } : {}) },
        ...(hasBody ? { body: '{"unknown":1}' } : {}),
      });
      await answer.arrayBuffer();
      if (answer.status !== 401) wrong.push(`${operation.operationId}: ${answer.status}`);
    }
  }
  expect(wrong).toEqual([]);
});
