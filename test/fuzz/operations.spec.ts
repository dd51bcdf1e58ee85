import fc from 'fast-check';
import type { Call } from '../matrix/fixture-parts.js';
import { type Running, startRunning } from '../matrix/running.js';
import { holds, TEST_TIMEOUT_MS } from './check.js';
import { draftOf, startersOf } from './requests.js';
import { CASES } from './settings.js';
import { Trial } from './trial.js';

/** Requests made from the OpenAPI document, for every operation of it: whatever comes, the answer is one that it declares. */
const platform: Running = await startRunning();
afterAll(() => platform.close());

describe.each(platform.operations)('$name', (operation) => {
  it(
    'answers every request as declared, and writes nothing when it refuses',
    async () => {
      const trial = await Trial.start(platform, operation);
      let call: Call | null = null;
      const property = fc.asyncProperty(draftOf(operation), async (draft) => {
        if (draft.fresh || !call) call = await trial.prepare(operation);
        fc.pre((await trial.run(operation, call, draft)) !== null);
      });
      await holds(
        property,
        operation.alias ? Math.ceil(CASES / 5) : CASES,
        startersOf(operation).map((draft) => [draft]),
      );
      expect(trial.statuses.get(operation.success)).toBeGreaterThan(0);
    },
    TEST_TIMEOUT_MS,
  );
});
