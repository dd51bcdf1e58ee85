import fc from 'fast-check';
import { refusal, user } from '#libs/testing/scim-patches.js';
import { applyPatch } from './patch.js';
import { USERS } from './resource-schema.js';
import { readResource, type Resource } from './resource.js';
import { URN } from './urn.js';

const E = URN.enterprise;

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

  it('yield a valid resource or are refused with a SCIM error', () => {
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
