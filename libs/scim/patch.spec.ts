import fc from 'fast-check';
import { applyPatch } from './patch.js';
import { GROUPS, USERS } from './resource-schema.js';
import { readResource, replaceResource, type Resource } from './resource.js';
import { ScimError } from './scim-error.js';
import { URN } from './urn.js';

const E = URN.enterprise;

function user(): Resource {
  return {
    userName: 'ana@acme.example',
    externalId: '00u1',
    active: true,
    displayName: 'Ana Silva',
    title: 'Engineer',
    name: { givenName: 'Ana', familyName: 'Silva' },
    emails: [
      { value: 'ana@acme.example', type: 'work', primary: true },
      { value: 'ana@home.example', type: 'home' },
    ],
    [E]: { department: 'Sales', manager: { value: 'm1', $ref: 'https://api.example.com/Users/m1' } },
  };
}

const patch = (current: Resource, ...Operations: object[]): Resource =>
  applyPatch(USERS, current, { schemas: [URN.patchOp], Operations }).resource;

const changes = (...Operations: object[]) =>
  applyPatch(GROUPS, { displayName: 'Sales' }, { schemas: [URN.patchOp], Operations }).members;

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ScimError) return `${error.status} ${error.scimType}`;
    throw error;
  }
  return 'none';
}

describe('what identity providers send', () => {
  const element = (value: object) => ({ ...user(), emails: [(user()['emails'] as object[])[1], value] });

  it.each<[string, object[], Resource]>([
    ['an op in any case', [{ op: 'Replace', path: 'title', value: 'CTO' }], { ...user(), title: 'CTO' }],
    ['an attribute in any case', [{ op: 'add', path: 'TITLE', value: 'CTO' }], { ...user(), title: 'CTO' }],
    ['members of an operation in any case', [{ Op: 'replace', Path: 'title', Value: 'x' }], { ...user(), title: 'x' }],
    ['a boolean as text', [{ op: 'Replace', path: 'active', value: 'False' }], { ...user(), active: false }],
    ['a boolean without a path', [{ op: 'replace', value: { active: false } }], { ...user(), active: false }],
    [
      'a role whose primary is text',
      [{ op: 'Add', path: 'roles', value: [{ value: 'admin', primary: 'True' }] }],
      { ...user(), roles: [{ value: 'admin', primary: true }] },
    ],
    [
      'dotted and URN keys without a path',
      [
        {
          op: 'replace',
          value: {
            'name.familyName': 'Costa',
            [`${E}:department`]: 'Legal',
            [E]: { costCenter: '7' },
            'emails[type eq "work"].value': 'ana@new.example',
          },
        },
      ],
      {
        ...user(),
        name: { givenName: 'Ana', familyName: 'Costa' },
        [E]: { ...(user()[E] as object), department: 'Legal', costCenter: '7' },
        emails: [
          { value: 'ana@new.example', type: 'work', primary: true },
          { value: 'ana@home.example', type: 'home' },
        ],
      },
    ],
    [
      'attributes of the extension without its URN',
      [
        { op: 'replace', path: 'Department', value: 'Legal' },
        { op: 'replace', value: { 'Manager.Value': 'm2' } },
      ],
      { ...user(), [E]: { department: 'Legal', manager: { value: 'm2' } } },
    ],
    [
      'a sub-attribute of an element that is there',
      [{ op: 'Replace', path: 'emails[type eq "work"].value', value: 'x@acme.example' }],
      {
        ...user(),
        emails: [{ value: 'x@acme.example', type: 'work', primary: true }, (user()['emails'] as object[])[1]],
      },
    ],
    [
      'a sub-attribute of an element that is not there',
      [
        { op: 'Add', path: 'addresses[type eq "work"].country', value: 'PT' },
        { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Porto' },
      ],
      { ...user(), addresses: [{ type: 'work', country: 'PT', locality: 'Porto' }] },
    ],
    [
      'an element that is made of several terms',
      [{ op: 'replace', path: 'roles[value eq "a" and primary eq "True"].display', value: 'A' }],
      { ...user(), roles: [{ value: 'a', primary: true, display: 'A' }] },
    ],
    [
      'a manager as text',
      [{ op: 'Add', path: `${E}:manager`, value: 'm2' }],
      { ...user(), [E]: { department: 'Sales', manager: { value: 'm2' } } },
    ],
    [
      'a manager as an object',
      [{ op: 'Add', path: `${E}:manager`, value: { value: 'm2', displayName: 'Bo' } }],
      { ...user(), [E]: { department: 'Sales', manager: { value: 'm2' } } },
    ],
    [
      'a manager as a list of one object',
      [{ op: 'Replace', path: `${E}:manager`, value: [{ value: 'm2', $ref: null }] }],
      { ...user(), [E]: { department: 'Sales', manager: { value: 'm2' } } },
    ],
    [
      'a manager that goes',
      [{ op: 'Replace', path: `${E}:manager`, value: '' }],
      { ...user(), [E]: { department: 'Sales' } },
    ],
    [
      'a manager that goes by its value',
      [{ op: 'Replace', path: `${E}:manager.value`, value: '' }],
      { ...user(), [E]: { department: 'Sales' } },
    ],
    ['empty text', [{ op: 'Replace', path: 'title', value: '' }], without('title')],
    ['null', [{ op: 'Replace', path: 'title', value: null }], without('title')],
    [
      'null in an element, whose rest stays',
      [{ op: 'Replace', path: 'emails[type eq "home"].value', value: null }],
      { ...user(), emails: [(user()['emails'] as object[])[0], { type: 'home' }] },
    ],
    [
      'nothing for an element that is not there',
      [{ op: 'Replace', path: 'emails[type eq "x"].value', value: '' }],
      user(),
    ],
    [
      'a part of a complex attribute, whose rest stays',
      [{ op: 'Replace', path: 'name', value: { familyName: 'Costa' } }],
      { ...user(), name: { givenName: 'Ana', familyName: 'Costa' } },
    ],
    [
      'an added element, once',
      [
        { op: 'add', path: 'emails', value: [{ value: 'ANA@home.example', type: 'Home' }] },
        { op: 'add', path: 'emails', value: { value: 'ANA@home.example', type: 'Home' } },
      ],
      {
        ...user(),
        emails: [(user()['emails'] as object[])[0], { value: 'ANA@home.example', type: 'Home' }],
      },
    ],
    [
      'a new primary element, which takes it from the one before',
      [{ op: 'add', path: 'emails', value: [{ value: 'c@acme.example', type: 'other', primary: true }] }],
      {
        ...user(),
        emails: [
          { value: 'ana@acme.example', type: 'work', primary: false },
          { value: 'ana@home.example', type: 'home' },
          { value: 'c@acme.example', type: 'other', primary: true },
        ],
      },
    ],
    [
      'a replaced list',
      [{ op: 'replace', path: 'emails', value: [{ value: 'only@acme.example' }] }],
      { ...user(), emails: [{ value: 'only@acme.example' }] },
    ],
    ['an emptied list', [{ op: 'replace', path: 'emails', value: [] }], without('emails')],
    [
      'a replaced element',
      [{ op: 'replace', path: 'emails[type eq "work"]', value: { value: 'n@acme.example' } }],
      { ...user(), emails: [{ type: 'work', value: 'n@acme.example' }, (user()['emails'] as object[])[1]] },
    ],
    [
      'a removed element',
      [{ op: 'remove', path: 'emails[type eq "work" and value ew "acme.example"]' }],
      { ...user(), emails: [(user()['emails'] as object[])[1]] },
    ],
    [
      'a removed sub-attribute of an element',
      [{ op: 'remove', path: 'emails[primary eq "True"].primary' }],
      element({ value: 'ana@acme.example', type: 'work' }),
    ],
    [
      'elements removed by value',
      [{ op: 'Remove', path: 'emails', value: [{ value: 'ANA@ACME.example' }] }],
      { ...user(), emails: [(user()['emails'] as object[])[1]] },
    ],
    ['a removal that finds nothing', [{ op: 'remove', path: 'emails[type eq "fax"]' }], user()],
    ['a removed attribute', [{ op: 'remove', path: 'title' }], without('title')],
    ['an extension that goes', [{ op: 'remove', path: E }], without(E)],
    ['a password, which nobody keeps', [{ op: 'replace', path: 'password', value: 's3cret' }], user()],
    [
      'its own id and what nobody knows, without a path',
      [{ op: 'replace', value: { id: 'u1', title: 'CTO', favouriteColour: 'red' } }],
      { ...user(), title: 'CTO' },
    ],
    ['active that is emptied, which changes nothing', [{ op: 'remove', path: 'active' }], user()],
  ])('takes %s', (_, operations, expected) => {
    const before = user();
    expect(sorted(patch(before, ...operations))).toEqual(sorted(expected));
    expect(before).toEqual(user());
  });

  function without(name: string): Resource {
    const { [name]: _, ...rest } = user();
    return rest;
  }
});

/** Emails in an order that does not matter. */
function sorted(resource: Resource): Resource {
  const emails = resource['emails'] as { value?: string }[] | undefined;
  return emails
    ? { ...resource, emails: emails.toSorted((a, b) => ((a.value ?? '') < (b.value ?? '') ? -1 : 1)) }
    : resource;
}

describe('what is refused', () => {
  it.each<[string, object, string]>([
    ['an unknown op', { op: 'move', path: 'title', value: 'x' }, '400 invalidSyntax'],
    ['a removal without a path', { op: 'remove' }, '400 noTarget'],
    ['an unknown attribute', { op: 'replace', path: 'colour', value: 'red' }, '400 invalidPath'],
    ['a path that ends early', { op: 'replace', path: 'emails[type eq "work"', value: 'x' }, '400 invalidPath'],
    ['a path that is no text', { op: 'replace', path: 5, value: 'x' }, '400 invalidPath'],
    [
      'a path with a filter on a plain attribute',
      { op: 'replace', path: 'title[value eq "x"]', value: 'x' },
      '400 invalidPath',
    ],
    ['a read-only attribute', { op: 'replace', path: 'id', value: 'x' }, '400 mutability'],
    ['a read-only sub-attribute', { op: 'add', path: 'meta.version', value: 'x' }, '400 mutability'],
    ['groups of a user', { op: 'add', path: 'groups', value: [{ value: 'g' }] }, '400 mutability'],
    ['the removal of what is required', { op: 'remove', path: 'userName' }, '400 mutability'],
    ['the emptying of what is required', { op: 'replace', path: 'userName', value: '' }, '400 invalidValue'],
    ['no value', { op: 'replace', path: 'title' }, '400 invalidValue'],
    ['a plain value without a path', { op: 'add', value: 'x' }, '400 invalidValue'],
    ['a word for a boolean', { op: 'replace', path: 'active', value: 'maybe' }, '400 invalidValue'],
    ['an object for a text', { op: 'replace', path: 'title', value: { a: 1 } }, '400 invalidValue'],
    ['a text for a name', { op: 'replace', path: 'name', value: 'Ana' }, '400 invalidValue'],
    ['two managers', { op: 'replace', path: 'manager', value: [{ value: 'a' }, { value: 'b' }] }, '400 invalidValue'],
    [
      'two primaries',
      {
        op: 'add',
        path: 'emails',
        value: [
          { value: 'a', primary: true },
          { value: 'b', primary: true },
        ],
      },
      '400 invalidValue',
    ],
    ['text with a NUL', { op: 'replace', path: 'title', value: 'a\0b' }, '400 invalidValue'],
    ['half of a character', { op: 'replace', path: 'title', value: '\ud800' }, '400 invalidValue'],
    [
      'a value for an element that cannot be made',
      { op: 'replace', path: 'emails[type ne "work" and type ne "home"].value', value: 'x' },
      '400 noTarget',
    ],
    [
      'a value for an element that contradicts itself',
      { op: 'replace', path: 'emails[type eq "a" and type eq "b"].value', value: 'x' },
      '400 noTarget',
    ],
    [
      'too many values',
      { op: 'add', path: 'emails', value: Array.from({ length: 101 }, (_, i) => ({ value: `${i}` })) },
      '400 invalidValue',
    ],
  ])('%s', (_, operation, expected) => {
    expect(refusal(() => patch(user(), operation))).toBe(expected);
  });

  it.each([[undefined], [null], [[]], [{}], [{ Operations: [] }], [{ Operations: ['x'] }], [{ Operations: {} }]])(
    'a body that is none: %j',
    (body) => {
      expect(refusal(() => applyPatch(USERS, user(), body))).toBe('400 invalidSyntax');
    },
  );

  it('changes nothing of the resource that it was given, even after an operation that was sound', () => {
    const before = user();
    const operations = [
      { op: 'replace', path: 'name.givenName', value: 'Eva' },
      { op: 'replace', path: 'nope', value: 1 },
    ];
    expect(refusal(() => patch(before, ...operations))).toBe('400 invalidPath');
    expect(before).toEqual(user());
  });

  it.each([
    '__proto__',
    '__proto__.polluted',
    'constructor.prototype.polluted',
    'toString',
    'name.__proto__',
    'hasOwnProperty',
  ])('a way to the prototype: %s', (path) => {
    expect(refusal(() => patch(user(), { op: 'add', path, value: { polluted: true } }))).toBe('400 invalidPath');
    const value = JSON.parse(`{"${path}": {"polluted": true}, "name": {"__proto__": {"polluted": true}}}`) as object;
    expect(patch(user(), { op: 'replace', value })).toEqual(user());
    expect(({} as Resource)['polluted']).toBeUndefined();
  });
});

describe('members of a group', () => {
  const change = (add: string[], remove: string[] = []) => [{ kind: 'change', add, remove }];

  it.each<[string, object[], object[]]>([
    [
      'added',
      [{ op: 'Add', path: 'members', value: [{ $ref: null, value: 'a' }, { value: 'b' }] }],
      change(['a', 'b']),
    ],
    ['added without a path', [{ op: 'add', value: { members: [{ value: 'a' }] } }], change(['a'])],
    ['added as one object', [{ op: 'add', path: 'members', value: { value: 'a', display: 'A' } }], change(['a'])],
    [
      'added by a path',
      [{ op: 'add', path: 'urn:ietf:params:scim:schemas:core:2.0:Group:members', value: ['a'] }],
      change(['a']),
    ],
    ['removed by value', [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: 'a' }] }], change([], ['a'])],
    ['removed by a path', [{ op: 'remove', path: 'members[value eq "a"]' }], change([], ['a'])],
    [
      'removed by a path with a type',
      [{ op: 'remove', path: 'members[value eq "a" and type eq "User"]' }],
      change([], ['a']),
    ],
    [
      'removed by several values',
      [{ op: 'remove', path: 'members[value eq "a" or value eq "b"]' }],
      change([], ['a', 'b']),
    ],
    [
      'removed by an object with members',
      [{ op: 'remove', path: 'members', value: { members: [{ value: 'a' }] } }],
      change([], ['a']),
    ],
    ['removed, but none of them', [{ op: 'remove', path: 'members', value: [] }], []],
    ['all removed', [{ op: 'remove', path: 'members' }], [{ kind: 'replace', ids: [] }]],
    ['replaced', [{ op: 'replace', path: 'members', value: [{ value: 'a' }] }], [{ kind: 'replace', ids: ['a'] }]],
    ['replaced by nobody', [{ op: 'replace', path: 'members', value: [] }], [{ kind: 'replace', ids: [] }]],
    ['replaced by null', [{ op: 'Replace', path: 'members', value: null }], [{ kind: 'replace', ids: [] }]],
    [
      'removed beside others that are added',
      [
        { op: 'remove', path: 'members[value eq "a"]' },
        { op: 'add', path: 'members', value: [{ value: 'b' }] },
        { op: 'add', path: 'members', value: [{ value: 'a' }] },
        { op: 'remove', path: 'members', value: [{ value: 'b' }] },
      ],
      change(['a'], ['b']),
    ],
    [
      'replaced and then changed',
      [
        { op: 'replace', path: 'members', value: [{ value: 'a' }, { value: 'b' }] },
        { op: 'remove', path: 'members', value: [{ value: 'a' }] },
        { op: 'add', path: 'members', value: [{ value: 'c' }] },
      ],
      [{ kind: 'replace', ids: ['b', 'c'] }],
    ],
  ])('%s', (_, operations, expected) => {
    expect(changes(...operations)).toEqual(expected);
  });

  it('are removed by what a filter says, in order with the rest', () => {
    const [first, second, third] = changes(
      { op: 'add', path: 'members', value: ['a'] },
      { op: 'remove', path: 'members[display sw "B"]' },
      { op: 'add', path: 'members', value: ['b'] },
    );
    expect(first).toEqual({ kind: 'change', add: ['a'], remove: [] });
    expect(second).toMatchObject({ kind: 'removeMatching', filter: { operator: 'sw', value: 'B' } });
    expect(third).toEqual({ kind: 'change', add: ['b'], remove: [] });
  });

  it('are no part of the resource', () => {
    const { resource, changed } = applyPatch(
      GROUPS,
      { displayName: 'Sales' },
      { Operations: [{ op: 'add', path: 'members', value: ['a'] }] },
    );
    expect({ resource, changed }).toEqual({ resource: { displayName: 'Sales' }, changed: false });
  });

  it.each<[string, object, string]>([
    ['a value that is no id', { op: 'remove', path: 'members', value: [{ $ref: 'x' }] }, '400 invalidValue'],
    ['a number', { op: 'remove', path: 'members', value: 5 }, '400 invalidValue'],
    ['null, which could mean all or nobody', { op: 'remove', path: 'members', value: null }, '400 invalidValue'],
    ['an object without ids', { op: 'remove', path: 'members', value: {} }, '400 invalidValue'],
    ['a group', { op: 'add', path: 'members', value: [{ value: 'g', type: 'Group' }] }, '400 invalidValue'],
    ['a change of a member', { op: 'replace', path: 'members[value eq "a"].value', value: 'b' }, '400 mutability'],
    ['a change of all members', { op: 'replace', path: 'members.value', value: 'b' }, '400 mutability'],
  ])('refuse %s', (_, operation, expected) => {
    expect(refusal(() => changes(operation))).toBe(expected);
  });
});

describe('bodies', () => {
  it('are read by the schema, whatever the case of names, and without empty values', () => {
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

  it('replace all but whether somebody is active', () => {
    const current = { ...user(), active: false };
    expect(replaceResource(USERS, current, { userName: 'b' }).resource).toEqual({ userName: 'b', active: false });
    expect(replaceResource(USERS, current, { userName: 'b', active: true }).resource).toEqual({
      userName: 'b',
      active: true,
    });
  });

  it('of groups name members beside the resource', () => {
    expect(readResource(GROUPS, { displayName: 'G', members: [{ value: 'a' }, { value: 'b' }] })).toEqual({
      resource: { displayName: 'G' },
      members: ['a', 'b'],
    });
    expect(readResource(GROUPS, { displayName: 'G', members: null }).members).toEqual([]);
    expect(readResource(GROUPS, { displayName: 'G' }).members).toBeNull();
  });

  it.each([[[]], ['x'], [null]])('that are no object are refused: %j', (body) => {
    expect(refusal(() => readResource(USERS, body))).toBe('400 invalidSyntax');
  });

  it('without what is required are refused', () => {
    expect(refusal(() => readResource(USERS, { userName: '' }))).toBe('400 invalidValue');
    expect(refusal(() => readResource(GROUPS, {}))).toBe('400 invalidValue');
  });
});

describe('any operations', () => {
  const paths = [
    'title',
    'emails',
    'emails.value',
    'emails[type eq "work"].value',
    'emails[type eq "work"]',
    'name',
    'manager',
  ];
  const more = [
    'manager.value',
    'active',
    'roles',
    'addresses[primary eq true]',
    E,
    'id',
    'password',
    '__proto__',
    'members',
  ];
  const text = fc.constantFrom('work', 'x', '', 'True', 'ana@acme.example');
  const element = fc.dictionary(
    fc.constantFrom('value', 'type', 'Primary', 'country', 'x'),
    fc.oneof(text, fc.boolean()),
  );
  const value = fc.oneof(text, fc.boolean(), element, fc.array(element, { maxLength: 3 }), fc.jsonValue());
  const operation = fc.record(
    {
      op: fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom('add', 'Replace', 'REMOVE') },
        { weight: 1, arbitrary: fc.jsonValue() },
      ),
      path: fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(...paths, ...more) },
        { weight: 1, arbitrary: fc.string() },
      ),
      value: fc.oneof(value, fc.dictionary(fc.constantFrom(...paths, ...more), value)),
    },
    { requiredKeys: ['op'] },
  );

  it('make a resource that is one, or are refused as SCIM does it', () => {
    let taken = 0;
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 4 }), (Operations) => {
        let patched: Resource | null = null;
        const outcome = refusal(() => (patched = applyPatch(USERS, user(), { Operations }).resource));
        expect(outcome).toMatch(/^none$|^400 (invalidSyntax|invalidPath|invalidValue|mutability|noTarget)$/);
        if (!patched) return;
        taken++;
        expect(readResource(USERS, patched).resource).toEqual(patched);
      }),
      { numRuns: 5_000 },
    );
    expect(taken).toBeGreaterThan(500);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
