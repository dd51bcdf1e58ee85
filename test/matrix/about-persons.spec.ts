import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { fieldsOf } from '#libs/http/field.js';
import { pathOf, type ResourceDefinition } from '#libs/resource/types/definition.js';
import { EMPLOYEES } from '../e2e/people/people-calls.js';
import { makeRole } from '../e2e/admin/people-calls.js';
import type { Client } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import { callOf } from './fixtures.js';
import type { Json } from './operations.js';
import { type Running, sceneOf, startRunning } from './running.js';

/** Records about a person: with rights on their own records only, members make them for nobody but themselves. */
const platform: Running = await startRunning();
afterAll(() => platform.close());

/** Fields of bodies that name a person. */
const PERSONS = ['employeeId', 'memberId', 'membershipId', 'interviewerId'];
const OTHERWISE: Record<string, string> = {
  'talent.scorecard': 'its service only admits the interviewer, whatever the rights of the caller',
};

const definitions = platform.app
  .get(ResourceRegistry)
  .everything()
  .map(({ definition }) => definition);
const about = definitions.filter(({ reach }) => reach?.person !== undefined);

it('are declared as such', () => {
  const naming = definitions.filter(({ create }) => PERSONS.some((field) => fieldsOf(create).has(field)));
  expect(naming.map(({ type }) => type).sort()).toEqual(
    [...about.map(({ type }) => type), ...Object.keys(OTHERWISE)].sort(),
  );
});

interface Person {
  id: string;
  api: Client;
}

/** A member with the given reach, and the value of the field that names them. */
async function personWith(
  tenant: TestTenant,
  { permissions: { read, write }, type, reach }: ResourceDefinition,
  extent: string,
): Promise<Person & { named: string }> {
  const role = await makeRole(tenant, `Writes ${extent} ${Math.random()}`, [`${read}@workspace`, `${write}${extent}`]);
  const person = await platform.member(tenant, 'Writer', ['*'], { roles: [role] });
  if (reach!.person === 'membershipId') return { ...person, named: person.id };
  const employee = { name: `Employee ${type}`, startDate: '2020-01-01', membershipId: person.id };
  const { body } = await tenant.api.post<{ id: string }>(EMPLOYEES, employee);
  return { ...person, named: body.id };
}

it.each(about)('$type is made with rights on one’s own for oneself alone', async (definition) => {
  const tenant = await platform.tenant();
  const field = definition.reach!.person!;
  const operation = platform.operations.find(({ method, path }) => method === 'POST' && path === pathOf(definition))!;
  const { body = {} } = await callOf(operation, sceneOf(platform, tenant, 'about'));
  const [own, colleague, wide] = [
    await personWith(tenant, definition, '@own'),
    await personWith(tenant, definition, '@own'),
    await personWith(tenant, definition, ''),
  ];
  const make = (api: Client, named: string, more: Json = {}) =>
    api.post<Json & { id: string }>(pathOf(definition), { ...body, [field]: named, ...more });
  const beyond = { status: 403, body: { code: 'permission_denied', requiredPermission: definition.permissions.write } };
  if (definition.type === 'people.employee') {
    // Naming the membership requires another permission, so nobody is named here.
    const unnamed = (api: Client) => api.post(pathOf(definition), { ...body, [field]: null });
    expect(await unnamed(own.api)).toMatchObject(beyond);
    return expect((await unnamed(wide.api)).status).toBe(201);
  }
  expect(await make(own.api, colleague.named)).toMatchObject(beyond);
  expect(await make(own.api, colleague.named, { ownerId: own.id })).toMatchObject(beyond);
  expect((await make(wide.api, colleague.named)).status).toBe(201);
  const made = await make(own.api, own.named);
  expect(made.status).toBe(201);
  if (fieldsOf(definition.update).has(field)) {
    const given = { [field]: colleague.named };
    expect(await own.api.patch(`${pathOf(definition)}/${made.body.id}`, given)).toMatchObject(beyond);
    expect((await wide.api.patch(`${pathOf(definition)}/${made.body.id}`, given)).status).toBe(200);
  }
});
