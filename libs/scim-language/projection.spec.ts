import { project, readProjection, wants } from './projection.js';
import { GROUPS, USERS } from './resource-schema.js';
import { URN } from './urn.js';

const E = URN.enterprise;
const USER = {
  schemas: [URN.user, E],
  id: 'u1',
  userName: 'ana',
  name: { givenName: 'Ana', familyName: 'Silva' },
  emails: [{ value: 'ana@acme.example', type: 'work' }, { type: 'home' }],
  [E]: { department: 'Sales', manager: { value: 'm1' } },
  meta: { resourceType: 'User', version: 'W/"1"' },
};
const ALWAYS = { schemas: USER.schemas, id: 'u1' };

const shown = (attributes?: string | string[], excluded?: string | string[]) =>
  project(USERS, readProjection(USERS, attributes, excluded), USER);

it.each<[string, object]>([
  ['userName', { ...ALWAYS, userName: 'ana' }],
  ['USERNAME, Name.givenName', { ...ALWAYS, userName: 'ana', name: { givenName: 'Ana' } }],
  [`${URN.user}:userName`, { ...ALWAYS, userName: 'ana' }],
  ['emails.value', { ...ALWAYS, emails: [{ value: 'ana@acme.example' }] }],
  ['name,name.givenName', { ...ALWAYS, name: USER.name }],
  [E, { ...ALWAYS, [E]: USER[E] }],
  [`${E}:department`, { ...ALWAYS, [E]: { department: 'Sales' } }],
  ['manager.value', { ...ALWAYS, [E]: { manager: { value: 'm1' } } }],
  ['id', ALWAYS],
  ['colour,__proto__,constructor', ALWAYS],
  ['colour,userName', { ...ALWAYS, userName: 'ana' }],
  ['', USER],
])('includes the requested attributes: %s', (attributes, expected) => {
  expect(shown(attributes)).toEqual(expected);
});

it('omits excludedAttributes, but never id and schemas', () => {
  const { name: _, [E]: __, ...rest } = USER;
  expect(shown(undefined, ['name', 'department', 'manager', 'id', 'schemas'])).toEqual(rest);
  expect(shown(undefined, 'emails.type,meta')).toMatchObject({
    emails: [{ value: 'ana@acme.example' }],
    name: USER.name,
  });
  expect(shown(undefined, 'emails.type,emails.value')).not.toHaveProperty('emails.0');
  expect(shown('name', 'name.familyName')).toEqual({ ...ALWAYS, name: { givenName: 'Ana' } });
});

it('tells whether an attribute must be read', () => {
  const wanted = (attributes?: string, excluded?: string) =>
    wants(readProjection(GROUPS, attributes, excluded), 'members');
  expect([wanted(), wanted('members.value'), wanted('displayName'), wanted(undefined, 'members')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(wanted(undefined, 'members.display')).toBe(true);
});
