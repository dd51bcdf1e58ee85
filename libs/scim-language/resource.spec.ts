import { refusal, user } from '#libs/testing/scim-patches.js';
import { GROUPS, USERS } from './resource-schema.js';
import { readResource, replaceResource } from './resource.js';
import { URN } from './urn.js';

const E = URN.enterprise;

describe('bodies', () => {
  it('are read by the schema, ignoring the case of names and empty values', () => {
    const { resource, members } = readResource(USERS, {
      schemas: [URN.user, 'http://schemas.example.com/unknown'],
      id: 'x',
      meta: { version: 'x' },
      groups: [],
      password: 's3cret',
      USERNAME: 'ana@acme.example',
      externalId: 'x1',
      active: 'True',
      title: null,
      nickName: '',
      favouriteColour: 'red',
      name: { GivenName: 'Ana', familyName: null },
      emails: [{ Value: 'ana@acme.example', Type: 'work', Primary: 'true' }, { value: '' }, null],
      addresses: [],
      phoneNumbers: { value: '+351 1' },
      roles: ['admin'],
      Department: 'Sales',
      [E]: { 'Manager.Value': 'm1', costCenter: 7 },
    });
    expect(members).toBeNull();
    expect(resource).toEqual({
      userName: 'ana@acme.example',
      externalId: 'x1',
      active: true,
      name: { givenName: 'Ana' },
      emails: [{ value: 'ana@acme.example', type: 'work', primary: true }],
      phoneNumbers: [{ value: '+351 1' }],
      roles: [{ value: 'admin' }],
      [E]: { department: 'Sales', costCenter: '7', manager: { value: 'm1' } },
    });
  });

  it('replace everything except active, which stays unless given', () => {
    const current = { ...user(), active: false };
    expect(replaceResource(USERS, current, { userName: 'b' }).resource).toEqual({ userName: 'b', active: false });
    expect(replaceResource(USERS, current, { userName: 'b', active: true }).resource).toEqual({
      userName: 'b',
      active: true,
    });
  });

  it('of groups list members separately from the resource', () => {
    expect(readResource(GROUPS, { displayName: 'G', members: [{ value: 'a' }, { value: 'b' }] })).toEqual({
      resource: { displayName: 'G' },
      members: ['a', 'b'],
    });
    expect(readResource(GROUPS, { displayName: 'G', members: null }).members).toEqual([]);
    expect(readResource(GROUPS, { displayName: 'G' }).members).toBeNull();
  });

  it.each([[[]], ['x'], [null]])('that are not objects are refused: %j', (body) => {
    expect(refusal(() => readResource(USERS, body))).toBe('400 invalidSyntax');
  });

  it('without required attributes are refused', () => {
    expect(refusal(() => readResource(USERS, { userName: '' }))).toBe('400 invalidValue');
    expect(refusal(() => readResource(GROUPS, {}))).toBe('400 invalidValue');
  });
});
