import { patch, user } from '#libs/testing/scim-patches.js';
import type { Resource } from './resource.js';
import { URN } from './urn.js';

const E = URN.enterprise;

/** The resource with its e-mails in a fixed order, for comparison. */
function sorted(resource: Resource): Resource {
  const emails = resource['emails'] as { value?: string }[] | undefined;
  return emails
    ? { ...resource, emails: emails.toSorted((a, b) => ((a.value ?? '') < (b.value ?? '') ? -1 : 1)) }
    : resource;
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
      'a sub-attribute of an existing element',
      [{ op: 'Replace', path: 'emails[type eq "work"].value', value: 'x@acme.example' }],
      {
        ...user(),
        emails: [{ value: 'x@acme.example', type: 'work', primary: true }, (user()['emails'] as object[])[1]],
      },
    ],
    [
      'a sub-attribute of a missing element',
      [
        { op: 'Add', path: 'addresses[type eq "work"].country', value: 'PT' },
        { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Porto' },
      ],
      { ...user(), addresses: [{ type: 'work', country: 'PT', locality: 'Porto' }] },
    ],
    [
      'an element created from several terms',
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
      'a removed manager',
      [{ op: 'Replace', path: `${E}:manager`, value: '' }],
      { ...user(), [E]: { department: 'Sales' } },
    ],
    [
      'a manager removed by its value',
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
    ['an empty value for a missing element', [{ op: 'Replace', path: 'emails[type eq "x"].value', value: '' }], user()],
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
      'a new primary element, which replaces the previous one as primary',
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
    ['a removed extension', [{ op: 'remove', path: E }], without(E)],
    ['a password, which is not stored', [{ op: 'replace', path: 'password', value: 's3cret' }], user()],
    [
      'its own id and unknown attributes, without a path',
      [{ op: 'replace', value: { id: 'u1', title: 'CTO', favouriteColour: 'red' } }],
      { ...user(), title: 'CTO' },
    ],
    ['removal of active, which changes nothing', [{ op: 'remove', path: 'active' }], user()],
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
