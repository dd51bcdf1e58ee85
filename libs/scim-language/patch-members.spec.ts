import { memberChanges, refusal } from '#libs/testing/scim-patches.js';
import { applyPatch } from './patch.js';
import { GROUPS } from './resource-schema.js';

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
      'removed while others are added',
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
    expect(memberChanges(...operations)).toEqual(expected);
  });

  it('are removed by a filter, in order with other operations', () => {
    const [first, second, third] = memberChanges(
      { op: 'add', path: 'members', value: ['a'] },
      { op: 'remove', path: 'members[display sw "B"]' },
      { op: 'add', path: 'members', value: ['b'] },
    );
    expect(first).toEqual({ kind: 'change', add: ['a'], remove: [] });
    expect(second).toMatchObject({ kind: 'removeMatching', filter: { operator: 'sw', value: 'B' } });
    expect(third).toEqual({ kind: 'change', add: ['b'], remove: [] });
  });

  it('are not part of the resource', () => {
    const { resource, changed } = applyPatch(
      GROUPS,
      { displayName: 'Sales' },
      { Operations: [{ op: 'add', path: 'members', value: ['a'] }] },
    );
    expect({ resource, changed }).toEqual({ resource: { displayName: 'Sales' }, changed: false });
  });

  it.each<[string, object, string]>([
    ['a value that is not an id', { op: 'remove', path: 'members', value: [{ $ref: 'x' }] }, '400 invalidValue'],
    ['a number', { op: 'remove', path: 'members', value: 5 }, '400 invalidValue'],
    ['null, which could mean all or nobody', { op: 'remove', path: 'members', value: null }, '400 invalidValue'],
    ['an object without ids', { op: 'remove', path: 'members', value: {} }, '400 invalidValue'],
    ['a group', { op: 'add', path: 'members', value: [{ value: 'g', type: 'Group' }] }, '400 invalidValue'],
    ['a change of a member', { op: 'replace', path: 'members[value eq "a"].value', value: 'b' }, '400 mutability'],
    ['a change of all members', { op: 'replace', path: 'members.value', value: 'b' }, '400 mutability'],
  ])('refuse %s', (_, operation, expected) => {
    expect(refusal(() => memberChanges(operation))).toBe(expected);
  });
});
