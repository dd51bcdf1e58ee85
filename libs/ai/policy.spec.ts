import fc from 'fast-check';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { PERSONAL_DATA_KINDS } from './personal-data/kinds.js';
import {
  type AiPolicy,
  type ApprovalRule,
  type Approvers,
  type Decision,
  decide,
  DEFAULT_POLICY,
  type PolicyFacts,
} from './policy.js';

const FACTS: PolicyFacts = {
  kind: 'text.generate',
  provider: 'acme',
  model: 'acme-1',
  regions: ['eu'],
  costMicros: 1_000,
  areas: ['sales'],
  personalData: ['email'],
  requesterRoleIds: ['role-1'],
  autonomy: 'suggest',
  approvalRequested: false,
};
const NOBODY: Approvers = { memberIds: [], roleIds: [], managerOfRequester: false };
const rule = (more: Partial<ApprovalRule> = {}): ApprovalRule => ({
  when: {},
  approvers: NOBODY,
  quorum: 1,
  expiresInMinutes: 600,
  ...more,
});
const decided = (policy: Partial<AiPolicy>, facts: Partial<PolicyFacts> = {}): Decision =>
  decide({ ...DEFAULT_POLICY, ...policy }, { ...FACTS, ...facts });

describe('decide', () => {
  it.each<[Partial<AiPolicy>, Partial<PolicyFacts>, string[]]>([
    [{ enabled: false }, {}, ['policy.disabled']],
    [{ allowedKinds: ['text.classify'] }, {}, ['kind_not_allowed']],
    [{ allowedProviders: ['local'] }, {}, ['provider_not_allowed']],
    [{ allowedModels: [] }, {}, ['model_not_allowed']],
    [{ processingRegions: ['us'] }, {}, ['region_not_allowed']],
    [{ processingRegions: ['eu'] }, { regions: ['eu', 'us'] }, ['region_not_allowed']],
    [{ processingRegions: ['eu'] }, { regions: [] }, ['region_not_allowed']],
    [{ personalData: 'block' }, {}, ['personal_data_blocked']],
    [{ personalData: 'block', personalDataKinds: ['phone', 'email'] }, {}, ['personal_data_blocked']],
    [
      { enabled: false, allowedKinds: [], personalData: 'block', approvalRules: [rule()] },
      { approvalRequested: true },
      ['policy.disabled', 'kind_not_allowed', 'personal_data_blocked'],
    ],
  ])('denies by %j with %j: %j', (policy, facts, rules) => {
    expect(decided(policy, facts)).toEqual({ outcome: 'deny', rules, approval: null });
  });

  it.each<[Partial<AiPolicy>, Partial<PolicyFacts>]>([
    [{}, {}],
    [{ allowedKinds: ['text.generate'], allowedProviders: ['acme'], allowedModels: ['acme-1'] }, {}],
    [{ processingRegions: ['eu'] }, {}],
    [{ processingRegions: [] }, { regions: null }],
    [{ processingRegions: null }, { regions: [] }],
    [{ personalData: 'block' }, { personalData: [] }],
    [{ personalData: 'block', personalDataKinds: ['phone'] }, {}],
    [{ personalData: 'allow' }, {}],
  ])('allows by %j with %j', (policy, facts) => {
    expect(decided(policy, facts)).toEqual({ outcome: 'allow', rules: ['policy.allowed'], approval: null });
  });

  it.each<[ApprovalRule['when'], Partial<PolicyFacts>, boolean]>([
    [{}, {}, true],
    [{ costOverMicros: 999 }, {}, true],
    [{ costOverMicros: 1_000 }, {}, false],
    [{ kinds: ['text.generate', 'text.classify'] }, {}, true],
    [{ kinds: ['text.classify'] }, {}, false],
    [{ areas: ['people', 'sales'] }, {}, true],
    [{ areas: ['people'] }, {}, false],
    [{ areas: ['people'] }, { areas: [] }, false],
    [{ personalData: true }, {}, true],
    [{ personalData: true }, { personalData: [] }, false],
    [{ personalData: false }, {}, false],
    [{ requesterRoles: ['role-1'] }, {}, true],
    [{ requesterRoles: ['role-2'] }, {}, false],
    [{ autonomy: 'suggest' }, {}, true],
    [{ autonomy: 'auto' }, {}, false],
    [{ autonomy: 'auto' }, { autonomy: null }, false],
    [{ kinds: ['text.generate'], areas: ['people'] }, {}, false],
  ])('a rule when %j holds with %j: %s', (when, facts, holds) => {
    const { outcome, rules } = decided(
      { approvalRules: [rule({ when: { kinds: ['other'] } }), rule({ when })] },
      facts,
    );
    expect({ outcome, rules }).toEqual(
      holds
        ? { outcome: 'require_approval', rules: ['approval_rules[1]'] }
        : { outcome: 'allow', rules: ['policy.allowed'] },
    );
  });

  it('asks for approval because the caller does', () => {
    expect(decided({ allowSelfApproval: true }, { approvalRequested: true })).toEqual({
      outcome: 'require_approval',
      rules: ['requested_by_caller'],
      approval: { approvers: NOBODY, quorum: 1, expiresInMinutes: 1_440, allowSelfApproval: true },
    });
  });

  const approvers = (more: Partial<Approvers>): Approvers => ({ ...NOBODY, ...more });
  it.each<[string, Approvers[], Approvers]>([
    ['whoever may, and named ones', [NOBODY, approvers({ memberIds: ['a'] })], approvers({ memberIds: ['a'] })],
    [
      'who is named by both',
      [approvers({ memberIds: ['a', 'b'], roleIds: ['x'] }), approvers({ memberIds: ['b'], roleIds: ['x', 'y'] })],
      approvers({ memberIds: ['b'], roleIds: ['x'] }),
    ],
    [
      'the manager, whom both want',
      [approvers({ managerOfRequester: true, memberIds: ['a'] }), approvers({ managerOfRequester: true })],
      approvers({ managerOfRequester: true }),
    ],
    [
      'owners where nobody is named by both',
      [approvers({ memberIds: ['a'] }), approvers({ roleIds: ['x'] })],
      approvers({ roleIds: [SYSTEM_ROLE_IDS.owner] }),
    ],
  ])('merges rules to %s', (_what, given, expected) => {
    const approvalRules = given.map((each, index) =>
      rule({ approvers: each, quorum: 3 - index, expiresInMinutes: 60 + index }),
    );
    expect(decided({ approvalRules }, { approvalRequested: true })).toMatchObject({
      rules: ['approval_rules[0]', 'approval_rules[1]', 'requested_by_caller'],
      approval: { approvers: expected, quorum: 3, expiresInMinutes: 60, allowSelfApproval: false },
    });
  });
});

const some = (...values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { maxLength: values.length });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 1 });
const anyRule: fc.Arbitrary<ApprovalRule> = fc.record({
  when: fc
    .record({
      costOverMicros: maybe(fc.nat(3)),
      kinds: maybe(some('text.generate', 'text.classify')),
      areas: maybe(some('sales', 'people')),
      personalData: maybe(fc.boolean()),
      requesterRoles: maybe(some('role-1', 'role-2')),
      autonomy: maybe(fc.constantFrom('suggest' as const, 'auto' as const)),
    })
    .map((when) => Object.fromEntries(Object.entries(when).filter(([, value]) => value !== undefined))),
  approvers: fc.record({ memberIds: some('a', 'b', 'c'), roleIds: some('x', 'y'), managerOfRequester: fc.boolean() }),
  quorum: fc.integer({ min: 1, max: 5 }),
  expiresInMinutes: fc.integer({ min: 5, max: 10 }),
});
const list = (...values: string[]) => fc.option(some(...values), { freq: 1 });
const anyPolicy: fc.Arbitrary<AiPolicy> = fc
  .record({
    enabled: fc.boolean(),
    allowedProviders: list('acme', 'local'),
    allowedModels: list('acme-1', 'local-1'),
    allowedKinds: list('text.generate', 'text.classify'),
    approvalRules: fc.array(anyRule, { maxLength: 4 }),
    allowSelfApproval: fc.boolean(),
    personalData: fc.constantFrom('block', 'mask', 'allow'),
    personalDataKinds: fc.subarray([...PERSONAL_DATA_KINDS]),
    processingRegions: list('eu', 'us'),
  })
  .map((policy) => ({ ...DEFAULT_POLICY, ...policy }));
/** Half of them deny nothing, because otherwise the approval rules would rarely apply. */
const mostlyOpen = fc.oneof(
  anyPolicy,
  anyPolicy.map(({ approvalRules, allowSelfApproval }) => ({ ...DEFAULT_POLICY, approvalRules, allowSelfApproval })),
);
const anyFacts: fc.Arbitrary<PolicyFacts> = fc.record({
  kind: fc.constantFrom('text.generate', 'text.classify'),
  provider: fc.constantFrom('acme', 'local'),
  model: fc.constantFrom('acme-1', 'local-1'),
  regions: list('eu', 'us'),
  costMicros: fc.nat(4),
  areas: some('sales', 'people'),
  personalData: fc.subarray([...PERSONAL_DATA_KINDS]),
  requesterRoleIds: some('role-1', 'role-2'),
  autonomy: fc.constantFrom('suggest', 'auto', null),
  approvalRequested: fc.boolean(),
});

const STRICTNESS = { allow: 0, require_approval: 1, deny: 2 };
/** All people: member, role, and whether they manage the requester. */
const PEOPLE = ['a', 'b', 'c', 'd'].flatMap((member) =>
  ['x', 'y', null].flatMap((role) => [true, false].map((manages) => ({ member, role, manages }))),
);
const mayApprove = ({ memberIds, roleIds, managerOfRequester }: Approvers) =>
  PEOPLE.filter(
    ({ member, role, manages }) =>
      (memberIds.length + roleIds.length === 0 && !managerOfRequester) ||
      memberIds.includes(member) ||
      (role !== null && roleIds.includes(role)) ||
      (managerOfRequester && manages),
  );

describe('properties of decide', () => {
  it('is never laxer with one rule more', () => {
    fc.assert(
      fc.property(mostlyOpen, anyFacts, anyRule, fc.nat(4), (policy, facts, added, place) => {
        const before = decide(policy, facts);
        const approvalRules = policy.approvalRules.toSpliced(place, 0, added);
        const after = decide({ ...policy, approvalRules }, facts);
        expect(STRICTNESS[after.outcome]).toBeGreaterThanOrEqual(STRICTNESS[before.outcome]);
        if (!before.approval || !after.approval) return;
        expect(after.approval.quorum).toBeGreaterThanOrEqual(before.approval.quorum);
        if (before.rules.some((name) => name.startsWith('approval_rules')))
          expect(after.approval.expiresInMinutes).toBeLessThanOrEqual(before.approval.expiresInMinutes);
        const could = mayApprove(before.approval.approvers);
        for (const person of mayApprove(after.approval.approvers)) expect(could).toContainEqual(person);
      }),
      { numRuns: 5_000 },
    );
  });

  it('satisfies every rule that holds', () => {
    fc.assert(
      fc.property(mostlyOpen, anyFacts, (policy, facts) => {
        const { rules, approval } = decide(policy, facts);
        for (const [index, each] of policy.approvalRules.entries()) {
          if (!rules.includes(`approval_rules[${index}]`)) continue;
          expect(approval!.quorum).toBeGreaterThanOrEqual(each.quorum);
          expect(approval!.expiresInMinutes).toBeLessThanOrEqual(each.expiresInMinutes);
          const may = mayApprove(each.approvers);
          for (const person of mayApprove(approval!.approvers)) expect(may).toContainEqual(person);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it('lets nothing through that a list leaves out', () => {
    fc.assert(
      fc.property(anyPolicy, anyFacts, (policy, facts) => {
        const { outcome, rules } = decide(policy, facts);
        const isBarred =
          !policy.enabled ||
          policy.allowedKinds?.includes(facts.kind) === false ||
          policy.allowedProviders?.includes(facts.provider) === false ||
          policy.allowedModels?.includes(facts.model) === false;
        if (isBarred) expect(outcome).toBe('deny');
        expect(rules.length).toBeGreaterThan(0);
      }),
    );
  });
});
