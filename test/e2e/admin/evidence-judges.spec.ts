import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { MAX_ROWS, statusOf } from '#src/areas/assurance/evidence/collector.js';
import { COLLECTORS } from '#src/areas/assurance/evidence/collectors/every.js';

const PERIOD = { from: '2026-01-01T00:00:00.000Z', to: '2026-04-01T00:00:00.000Z' };
const LONG_AGO = '2020-01-01T00:00:00.000Z';
const LATELY = '2026-03-01T00:00:00.000Z';

type Row = Record<string, unknown>;

const role = (key: keyof typeof SYSTEM_ROLE_IDS) => ({ id: SYSTEM_ROLE_IDS[key], name: null, permissions: null });
const member: Row = {
  status: 'active',
  roles: [role('viewer')],
  methods: ['otp'],
  multiFactorAt: LATELY,
  policy: { policy: 'all' },
};
const roleless: Row = { ...member, roles: [] };
const oneFactor: Row = { ...member, methods: ['pwd'], multiFactorAt: null };

const entry = (facts: Row = {}): Row => ({
  entryId: '1',
  occurredAt: LATELY,
  entry: JSON.stringify({ action: 'a', actor: { type: 'member', id: 'm' }, target: { type: 't', id: 'x' } }),
  details: JSON.stringify({ changes: { roleIds: {} } }),
  isOwn: false,
  ...facts,
});
const nobody = { entry: JSON.stringify({ action: 'a', actor: { type: 'anonymous', id: null }, target: null }) };

const key: Row = {
  memberId: null,
  scopes: ['*'],
  issuedAt: LATELY,
  expiresAt: '2026-12-01T00:00:00.000Z',
  lastUsedAt: LATELY,
  periodEnd: PERIOD.to,
};
const leaver: Row = { hoursToRemoval: 0.5, membershipStatus: 'suspended' };
const approval: Row = {
  status: 'executed',
  requester: 'a',
  quorum: 1,
  allowSelfApproval: false,
  decisions: [{ person: 'b', decision: 'approve' }],
};
const review: Row = {
  status: 'completed',
  dueAt: LATELY,
  overdueAt: null,
  pending: 0,
  revoked: 1,
  reduced: 1,
  applied: 2,
};
const decided: Row = { reviewStatus: 'completed', decision: 'keep', decidedByType: 'member' };
const removed: Row = { ...decided, decision: 'revoke', appliedAt: LATELY, appliedEntryId: '1', applyErrorCode: null };
const stream: Row = { status: 'active', lagHours: 0, encrypted: true };
const run: Row = { startedAt: LONG_AGO, finishedAt: LONG_AGO, failed: 0 };
const integrity: Row = { firstBrokenEntry: null, firstBrokenNode: null, rootIntact: true };

const definition = { objectivePercent: 99, windowDays: 30, enabled: true };
const disabled = { ...definition, enabled: false };
const objective: Row = { key: 'api', definition, good: 99, bad: 1 };
const NO_HOURS = { api: [], webhooks: [], ai: [] };
const covered = { minutes: 100, uncoveredMinutes: 0, maintenanceMinutes: 0 };
const uncovered = { ...covered, uncoveredMinutes: 100 };
const month = (target: number, good: number) => ({
  isLatest: true,
  correction: null,
  report: {
    hours: { ...NO_HOURS, api: [{ atMs: 0, good, total: 1_000, badMinutes: 0, latency: [] }] },
    commitments: [{ metric: 'api.availabilityPercent', target }],
    coverage: covered,
  },
});

/** For each collector a row without a finding, and rows with one; none if it lists what happened without judging it. */
const ROWS: Record<string, [good: Row, ...bad: Row[]]> = {
  'access-members': [member, roleless],
  'access-privileged': [{ ...member, roles: [role('owner')] }, oneFactor],
  'access-joiners': [member, roleless],
  'access-leavers': [
    leaver,
    { ...leaver, hoursToRemoval: null },
    { ...leaver, hoursToRemoval: 24.1 },
    { ...leaver, membershipStatus: 'active' },
  ],
  'access-changes': [entry(), entry({ isOwn: true })],
  'access-removals': [entry(), entry(nobody)],
  'access-exceptions': [
    { hasReason: true, expiresAt: null },
    { hasReason: false, expiresAt: null },
  ],
  'access-provisioning': [
    { status: 'disabled', tokenExpiresAt: LONG_AGO },
    { status: 'active', tokenExpiresAt: LONG_AGO },
  ],
  'access-partners': [{ membershipStatus: 'active' }, { membershipStatus: 'suspended' }, { membershipStatus: null }],
  'access-reviews': [
    review,
    { ...review, status: 'cancelled' },
    { ...review, overdueAt: LATELY },
    { ...review, status: 'in_progress', pending: 1 },
    { ...review, status: 'pending_actions', applied: 1 },
  ],
  'access-review-decisions': [
    removed,
    { ...decided, decidedByType: 'system' },
    { ...removed, appliedAt: null },
    { ...removed, appliedAt: null, applyErrorCode: 'last_owner' },
    { ...removed, appliedEntryId: null },
  ],
  'audit-integrity': [
    integrity,
    { ...integrity, firstBrokenEntry: 3 },
    { ...integrity, firstBrokenNode: 4 },
    { ...integrity, rootIntact: false },
  ],
  'audit-exports': [entry()],
  'audit-streams': [
    stream,
    { ...stream, status: 'failing' },
    { ...stream, status: 'paused' },
    { ...stream, lagHours: 1 },
    { ...stream, encrypted: false },
  ],
  'auth-mfa-policy': [
    { policy: { policy: 'admins' } },
    { policy: null },
    { policy: { policy: 'all', effectiveAt: '2026-05-01T00:00:00.000Z' } },
  ],
  'auth-mfa-coverage': [member, oneFactor],
  'auth-session-resets': [entry()],
  'auth-refusals': [{ day: '2026-02-01', action: 'a', refusals: 3 }],
  'changes-settings': [entry()],
  'changes-approvals': [
    approval,
    { ...approval, decisions: [{ person: 'a', decision: 'approve' }] },
    { ...approval, quorum: 2 },
  ],
  'changes-ai-policy': [{ version: 1 }],
  'changes-ai-decisions': [
    { policyVersion: 1, outcome: 'allow' },
    { policyVersion: 0, outcome: 'allow' },
  ],
  'keys-api-keys': [key, { ...key, expiresAt: null }, { ...key, issuedAt: LONG_AGO, lastUsedAt: null }],
  'keys-api-key-changes': [entry()],
  'keys-data-keys': [
    { isCurrent: true, createdAt: LATELY },
    { isCurrent: true, createdAt: LONG_AGO },
  ],
  'keys-master-keys': [
    { isCurrent: true, firstUsedAt: LATELY },
    { isCurrent: true, firstUsedAt: LONG_AGO },
    { isCurrent: false, firstUsedAt: LONG_AGO },
  ],
  'keys-signing-keys': [
    { notBefore: LATELY, notAfter: null },
    { notBefore: LONG_AGO, notAfter: null },
  ],
  'keys-secrets': [
    { createdAt: LONG_AGO, rotatedAt: LATELY, expiresAt: null },
    { createdAt: LONG_AGO, rotatedAt: null, expiresAt: null },
    { createdAt: LATELY, rotatedAt: null, expiresAt: LATELY },
  ],
  'keys-webhook-secrets': [
    { status: 'enabled', secretSetAt: LATELY },
    { status: 'enabled', secretSetAt: LONG_AGO },
  ],
  'posture-checks': [{ status: 'excepted' }, { status: 'fail' }, { status: 'unknown' }],
  'retention-policies': [{ enabled: true }, { enabled: false }],
  'retention-runs': [run, { ...run, failed: 1 }, { ...run, finishedAt: null }],
  'retention-holds': [{ status: 'released' }],
  'service-objectives': [objective, { ...objective, good: 98, bad: 2 }, { ...objective, definition: disabled }],
  'service-levels': [
    month(99.9, 999),
    month(99.9, 998),
    { ...month(99.9, 0), report: { ...month(99.9, 0).report, hours: NO_HOURS, coverage: uncovered } },
  ],
};

it('has rows for each collector', () => {
  expect(Object.keys(ROWS)).toEqual(COLLECTORS.map(({ controlId }) => controlId));
});

describe.each(COLLECTORS)('$controlId', ({ controlId, dataOf }) => {
  const judged = (rows: Row[], total = rows.length) => {
    const data = dataOf(
      rows.map((row) => ({ ...row, total })),
      PERIOD,
    );
    return statusOf(data);
  };
  const [good, ...bad] = ROWS[controlId]!;

  it('passes if nothing is wrong with any row', () => {
    expect(judged([good, good])).toBe('pass');
  });

  for (const row of bad)
    it(`fails for ${JSON.stringify(row)}`, () => {
      expect(judged([good, row])).toBe('fail');
    });

  it('is not tested without rows, or if not all rows were judged', () => {
    expect(judged([])).toBe('not_tested');
    expect(judged([good], MAX_ROWS + 1)).toBe('not_tested');
  });
});

it('has unique ids that begin with the folder', () => {
  expect(new Set(COLLECTORS.map(({ controlId }) => controlId)).size).toBe(COLLECTORS.length);
  for (const { controlId, folder } of COLLECTORS) expect(controlId.startsWith(`${folder}-`)).toBe(true);
});
