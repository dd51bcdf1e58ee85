import fc from 'fast-check';
import type { Call } from '../matrix/fixture-parts.js';
import { type Running, startRunning } from '../matrix/running.js';
import { holds, TEST_TIMEOUT_MS } from './check.js';
import { canCollide, draftOf, startersOf } from './requests.js';
import { casesOf, triedOf } from './settings.js';
import { Trial } from './trial.js';

/**
 * Requests generated from the OpenAPI document. Every response must be one that the operation declares. `npm run fuzz`
 * tries every operation, `npm test` a sample.
 */
const platform: Running = await startRunning();
afterAll(() => platform.close());

/**
 * Operations whose success requires a token of an identity provider or an operator key (see test/e2e/auth,
 * test/e2e/invitations and test/e2e/bootstrap) or of a link that people get (test/e2e/public), or is recorded although
 * they read (test/e2e/settings/public-links.spec.ts).
 */
const PROVEN_ELSEWHERE =
  /^(auth\.session\.create|invitations\.accept|bootstrap\.tenants\..*|public\.(careers\.jobs|files|invoices|milestones|proposals|tenants|unsubscribe)\..*)$/;

describe.each(triedOf(platform))('$name', (operation) => {
  it(
    'responds to every request as declared and writes nothing when it refuses',
    async () => {
      const trial = await Trial.start(platform, operation);
      let call: Call | null = null;
      const property = fc.asyncProperty(draftOf(operation), async (draft) => {
        if (draft.fresh || !call) call = await trial.prepare(operation);
        fc.pre((await trial.run(operation, call, draft)) !== null);
      });
      const cases = casesOf(operation);
      const starters = startersOf(operation).slice(0, cases - 2); // leave cases for the generators
      await holds(
        property,
        cases,
        starters.map((draft) => [draft]),
      );
      const least = PROVEN_ELSEWHERE.test(operation.id) ? 0 : 1;
      expect(trial.statuses.get(operation.success) ?? 0).toBeGreaterThanOrEqual(least);
      if (canCollide(operation)) expect(trial.statuses.get(409) ?? 0).toBeGreaterThanOrEqual(1);
    },
    TEST_TIMEOUT_MS,
  );
});
