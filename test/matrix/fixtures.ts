import { type Call, type Fixture, type Maker, member, type Scene, workspace } from './fixture-parts.js';
import { ADMIN } from './fixtures/admin.area.js';
import { AI } from './fixtures/ai.area.js';
import { BOOTSTRAP } from './fixtures/bootstrap.area.js';
import { DISCOVERY } from './fixtures/discovery.area.js';
import { FINANCE } from './fixtures/finance.area.js';
import { OPERATIONS } from './fixtures/operations.area.js';
import { PEOPLE } from './fixtures/people.area.js';
import { PUBLIC } from './fixtures/public.area.js';
import { REPORTS } from './fixtures/reports.area.js';
import { SALES } from './fixtures/sales.area.js';
import { SCIM } from './fixtures/scim.area.js';
import { SETTINGS } from './fixtures/settings.area.js';
import { TALENT } from './fixtures/talent.area.js';
import { TIMELINE } from './fixtures/timeline.area.js';
import { WEBHOOKS } from './fixtures/webhooks.area.js';
import { WORK } from './fixtures/work.area.js';
import { exampleBody, type Operation } from './operations.js';

const AREAS = [
  ADMIN,
  AI,
  BOOTSTRAP,
  DISCOVERY,
  FINANCE,
  OPERATIONS,
  PEOPLE,
  PUBLIC,
  REPORTS,
  SALES,
  SCIM,
  SETTINGS,
  TALENT,
  TIMELINE,
  WEBHOOKS,
  WORK,
];

/**
 * One entry per operation of the OpenAPI document, by operation id. The generated tests call every operation and fail
 * for one that is missing here.
 */
export const FIXTURES = Object.assign({}, ...AREAS.map(({ fixtures }) => fixtures)) as Record<string, Fixture>;

/** Creates a record for a reference with this name. */
export const REFERENCES = Object.assign(
  { ownerId: member, workspaceId: workspace, inWorkspace: workspace },
  ...AREAS.map(({ references }) => references),
) as Record<string, Maker>;

/** @throws Error saying where to add a missing fixture. */
export function fixtureOf(operation: Operation): Fixture {
  const fixture = FIXTURES[operation.id];
  if (!fixture) throw new Error(`Add ${operation.id} to the fixtures of its area in test/matrix/fixtures.`);
  return fixture;
}

/** The fixture's call, with a body of examples if the operation needs one and the fixture has none. */
export async function callOf(operation: Operation, scene: Scene): Promise<Call> {
  const call = await fixtureOf(operation).call(scene);
  return operation.bodyRequired && !call.body ? { ...call, body: exampleBody(operation.body!) } : call;
}
