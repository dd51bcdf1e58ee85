import fc from 'fast-check';
import { PRIVILEGED_GRANTS, isPrivileged } from '#libs/auth/permission-risk.js';
import { permissionNames } from '#libs/auth/permissions.js';
import { parseGrants } from '#libs/auth/roles.js';
import { POSTURE_CHECKS } from './checks/all.js';
import { fail, notApplicable, pass, SEVERITIES, unknown, type Verdict, warning, WEIGHTS } from './posture-check.js';
import { counted, type Counted, gradeOf, scoreOf } from './posture-score.js';

const verdict: fc.Arbitrary<Verdict> = fc.oneof(
  fc.constantFrom(pass(''), fail(''), unknown(''), notApplicable('')),
  fc.double({ min: 0, max: 1, noNaN: true }).map((credit) => warning(credit, '')),
);
const check: fc.Arbitrary<Counted> = fc
  .tuple(verdict, fc.constantFrom(...SEVERITIES), fc.boolean())
  .map(([found, severity, isExcepted]) => counted(found, severity, isExcepted));
const checks = fc.array(check, { minLength: 1, maxLength: 40 });
const RUNS = { numRuns: 10_000 };

describe('the score', () => {
  it('is the same for the same snapshot, in any order, from 0 to 100', () => {
    fc.assert(
      fc.property(checks, (snapshot) => {
        const score = scoreOf(snapshot);
        expect(scoreOf(structuredClone(snapshot))).toBe(score);
        expect(scoreOf(snapshot.toReversed())).toBe(score);
        expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
      }),
      RUNS,
    );
  });

  it('never falls when a check is fixed', () => {
    fc.assert(
      fc.property(checks, fc.nat(), (snapshot, at) => {
        const index = at % snapshot.length;
        const { severity } = snapshot[index]!;
        const fixed = snapshot.with(index, counted(pass(''), severity, false));
        expect(scoreOf(fixed)).toBeGreaterThanOrEqual(scoreOf(snapshot));
      }),
      RUNS,
    );
  });

  it('never rises above that without the exception, unless the exception lifts the cap', () => {
    fc.assert(
      fc.property(checks, fc.nat(), (snapshot, at) => {
        const index = at % snapshot.length;
        const { severity, status } = snapshot[index]!;
        if (status !== 'fail' || severity === 'critical') return;
        const excepted = snapshot.with(index, counted(fail(''), severity, true));
        expect(scoreOf(excepted)).toBe(scoreOf(snapshot));
      }),
      RUNS,
    );
  });

  const of = (found: Verdict, severity: (typeof SEVERITIES)[number], isExcepted = false) =>
    counted(found, severity, isExcepted);
  it.each<[string, Counted[], number, string]>([
    ['all that applies passes', [of(pass(''), 'low'), of(notApplicable(''), 'critical')], 100, 'A'],
    ['half of a weight is earned', [of(warning(0.5, ''), 'high')], 50, 'F'],
    ['an unknown check gives nothing', [of(pass(''), 'high'), of(unknown(''), 'high')], 50, 'F'],
    ['weights count', [of(pass(''), 'critical'), of(fail(''), 'low')], 90, 'A'],
    ['a critical failure caps it', [of(fail(''), 'critical'), ...Array(9).fill(of(pass(''), 'critical'))], 59, 'F'],
    [
      'an exception does not cap',
      [of(fail(''), 'critical', true), ...Array(9).fill(of(pass(''), 'critical'))],
      90,
      'A',
    ],
  ])('if %s', (_, snapshot, score, grade) => {
    expect(scoreOf(snapshot)).toBe(score);
    expect(gradeOf(score)).toBe(grade);
  });
});

describe('the checks', () => {
  it('have unique keys in their category, and a weight', () => {
    const keys = POSTURE_CHECKS.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    for (const { key, category, severity } of POSTURE_CHECKS) {
      expect(key.startsWith(`${category}.`)).toBe(true);
      expect(WEIGHTS[severity]).toBeGreaterThan(0);
    }
  });

  it('name the grants that make a role privileged', () => {
    const texts = permissionNames().flatMap((name) => {
      const [resource, action] = name.split(':');
      return ['*', name, `${resource}:*`, `*:${action}`].flatMap((text) => [text, `${text}@tenant`, `${text}@own`]);
    });
    for (const text of texts)
      expect([text, PRIVILEGED_GRANTS.includes(text)]).toEqual([text, isPrivileged(parseGrants([text]))]);
  });
});
