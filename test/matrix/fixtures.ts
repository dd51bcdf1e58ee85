import { globSync } from 'node:fs';
import { roomsOf } from '#src/areas/area.js';
import { AREAS } from '#src/areas/areas.js';
import {
  type AreaFixtures,
  type Call,
  type Fixture,
  type Maker,
  member,
  ofActions,
  ofType,
  type Scene,
  workspace,
} from './fixture-parts.js';
import { exampleBody, type Operation } from './operations.js';

const areaFiles = globSync('fixtures/*.area.ts', { cwd: import.meta.dirname }).sort();
/** What the files of areas export. */
const FILES: AreaFixtures[] = await Promise.all(
  areaFiles.map(async (file) => {
    const [area] = Object.values((await import(`./${file}`)) as Record<string, AreaFixtures>);
    return area!;
  }),
);
const PLAIN = (await roomsOf(AREAS)).map(({ type }) => {
  const { make, fixtures } = ofType(type);
  return { ...fixtures, ...ofActions(type, make) };
});

/**
 * One entry per operation of the OpenAPI document, by operation id. Those of plain types follow from their declarations,
 * unless a file has others. The generated tests call every operation and fail for one that is missing here.
 */
export const FIXTURES = Object.assign({}, ...PLAIN, ...FILES.map(({ fixtures }) => fixtures)) as Record<
  string,
  Fixture
>;

/** Creates a record for a reference with this name. */
export const REFERENCES = Object.assign(
  { ownerId: member, workspaceId: workspace, inWorkspace: workspace },
  ...FILES.map(({ references }) => references),
) as Record<string, Maker>;

/** @throws Error saying where to add a missing fixture. */
export function fixtureOf(operation: Operation): Fixture {
  const fixture = FIXTURES[operation.id];
  if (!fixture)
    throw new Error(
      `Add ${operation.id} to the fixtures of its area in test/matrix/fixtures, see docs/guides/adding-a-resource.md.`,
    );
  return fixture;
}

/** The fixture's call, with a body of examples if the operation needs one and the fixture has none. */
export async function callOf(operation: Operation, scene: Scene): Promise<Call> {
  const call = await fixtureOf(operation).call(scene);
  return operation.bodyRequired && !call.body ? { ...call, body: exampleBody(operation.body!) } : call;
}
