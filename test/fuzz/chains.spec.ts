import fc from 'fast-check';
import type { Call } from '../matrix/fixture-parts.js';
import type { Operation } from '../matrix/operations.js';
import { type Running, startRunning } from '../matrix/running.js';
import { holds, TEST_TIMEOUT_MS } from './check.js';
import { draftOf, PLAIN } from './requests.js';
import { CASES } from './settings.js';
import { Trial } from './trial.js';

/** All rows of a tenant are compared after each step, so there must be few. */
const CHAINS_PER_TENANT = 20;

/**
 * The life of a record in random order and with random input: created, changed, moved through its states and deleted.
 */
const platform: Running = await startRunning();
afterAll(() => platform.close());

describe.each(['sales.deals', 'sales.pipelines', 'webhooks.endpoints'])('%s', (prefix) => {
  const operations = platform.operations.filter(({ id }) => id.startsWith(`${prefix}.`));
  const create = operations.find(({ id }) => id === `${prefix}.create`)!;
  const step = fc
    .constantFrom(...operations)
    .chain((operation) => fc.record({ operation: fc.constant(operation), draft: draftOf(operation) }));

  it(
    'fulfils its contract in every chain of operations',
    async () => {
      let trial = await Trial.start(platform, create);
      let chains = 0;
      const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16, size: 'max' }), async (steps) => {
        if (++chains % CHAINS_PER_TENANT === 0) trial = await Trial.start(platform, create);
        let id = String((await trial.run(create, await trial.prepare(create), PLAIN))!.body['id']);
        for (const { operation, draft } of steps) {
          const answer = await trial.run(operation, callOn(operation, id), draft);
          if (operation === create && answer?.status === 201) id = String(answer.body['id']);
        }
      });
      await holds(property, CASES);
      expect(chains).toBe(CASES);
    },
    TEST_TIMEOUT_MS,
  );
});

/** The call on the chain's own record, with only its id. */
function callOn({ id: operationId, path }: Operation, id: string): Call {
  if (path.includes('{')) return { path: { id } };
  if (operationId.endsWith('_many')) return operationId.includes('delete') ? { query: { id } } : { body: { id } };
  return {};
}
