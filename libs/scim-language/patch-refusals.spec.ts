import { patch, refusal, user } from '#libs/testing/scim-patches.js';
import { applyPatch } from './patch.js';
import { USERS } from './resource-schema.js';
import type { Resource } from './resource.js';

describe('what is refused', () => {
  it.each<[string, object, string]>([
    ['an unknown op', { op: 'move', path: 'title', value: 'x' }, '400 invalidSyntax'],
    ['a removal without a path', { op: 'remove' }, '400 noTarget'],
    ['an unknown attribute', { op: 'replace', path: 'colour', value: 'red' }, '400 invalidPath'],
    ['an incomplete path', { op: 'replace', path: 'emails[type eq "work"', value: 'x' }, '400 invalidPath'],
    ['a path that is not a string', { op: 'replace', path: 5, value: 'x' }, '400 invalidPath'],
    [
      'a path with a filter on a plain attribute',
      { op: 'replace', path: 'title[value eq "x"]', value: 'x' },
      '400 invalidPath',
    ],
    ['a read-only attribute', { op: 'replace', path: 'id', value: 'x' }, '400 mutability'],
    ['a read-only sub-attribute', { op: 'add', path: 'meta.version', value: 'x' }, '400 mutability'],
    ['groups of a user', { op: 'add', path: 'groups', value: [{ value: 'g' }] }, '400 mutability'],
    ['the removal of a required attribute', { op: 'remove', path: 'userName' }, '400 mutability'],
    ['an empty value for a required attribute', { op: 'replace', path: 'userName', value: '' }, '400 invalidValue'],
    ['no value', { op: 'replace', path: 'title' }, '400 invalidValue'],
    ['a plain value without a path', { op: 'add', value: 'x' }, '400 invalidValue'],
    ['a string for a boolean', { op: 'replace', path: 'active', value: 'maybe' }, '400 invalidValue'],
    ['an object for a string', { op: 'replace', path: 'title', value: { a: 1 } }, '400 invalidValue'],
    ['a string for a name', { op: 'replace', path: 'name', value: 'Ana' }, '400 invalidValue'],
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
    ['a lone surrogate', { op: 'replace', path: 'title', value: '\ud800' }, '400 invalidValue'],
    [
      'a value for an element that cannot be created',
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
    'an invalid body: %j',
    (body) => {
      expect(refusal(() => applyPatch(USERS, user(), body))).toBe('400 invalidSyntax');
    },
  );

  it('leaves the given resource unchanged, even after a valid operation', () => {
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
  ])('access to the prototype: %s', (path) => {
    expect(refusal(() => patch(user(), { op: 'add', path, value: { polluted: true } }))).toBe('400 invalidPath');
    const value = JSON.parse(`{"${path}": {"polluted": true}, "name": {"__proto__": {"polluted": true}}}`) as object;
    expect(patch(user(), { op: 'replace', value })).toEqual(user());
    expect(({} as Resource)['polluted']).toBeUndefined();
  });
});
