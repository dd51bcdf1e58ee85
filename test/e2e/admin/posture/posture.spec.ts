import { DAY_MS } from '#libs/kernel/durations.js';
import { AUDITED } from '../../../harness/audit.js';
import { asAdmin } from '../../../harness/database.js';
import { replaceGates } from '../../../harness/gates.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../../harness/platform.js';
import { person } from '../people-calls.js';

type Json = Record<string, unknown>;

const POSTURE = '/api/admin/security/posture';
const SETTINGS = '/api/admin/settings';
/** Critical: fails with a privileged member who has not signed in. */
const CRITICAL = 'members.mfa_coverage';
const HIGH = 'credentials.key_wildcard';
const LOW = 'sign_in.email_domains';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

interface Check extends Json {
  key: string;
  severity: string;
  status: string;
  weight: number;
  credit: number;
}
interface Posture {
  score: number;
  grade: string;
  asOf: string;
  checks: Check[];
  history: { runId: string; score: number; changes: object[] }[] | null;
}
interface Assessment extends Posture {
  runId: string | null;
  changes: Json[];
}

const inDays = (days: number) => new Date(platform.clock.nowMs() + days * DAY_MS).toISOString();
const read = async (query = '') => {
  const { status, body, text } = await tenant.api.get<Posture>(POSTURE + query);
  if (status !== 200) throw new Error(text);
  return body;
};
const checkOf = async (key: string) => (await read()).checks.find((check) => check.key === key)!;
const run = async (body: object = {}) => {
  const answer = await tenant.api.post<Assessment>(POSTURE, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
};
const patch = (body: object, api = tenant.api) => api.patch<Json>(POSTURE, body);
const except = (checkKey: string, days = 30, api = tenant.api) =>
  patch({ checkKey, exception: { reason: 'Migration', expiresAt: inDays(days) } }, api);
const setDomains = (domains: string[]) => tenant.api.patch(SETTINGS, { security: { allowedEmailDomains: domains } });
const audited = async (action: string) => {
  const rows = await asAdmin<{ entry: string }>(
    platform.database,
    `select ${AUDITED} as entry from data.audit_log where tenant_id = $1 and action = $2 order by id`,
    [tenant.id, action],
  );
  return rows.map(({ entry }) => JSON.parse(entry) as Json);
};
const told = async (type: string) => {
  const rows = await asAdmin<{ envelope: string }>(
    platform.database,
    `select envelope from data.events where tenant_id = $1 and type = $2 order by id`,
    [tenant.id, type],
  );
  return rows.map(({ envelope }) => (JSON.parse(envelope) as { data: Json }).data);
};

describe('reading the posture', () => {
  it('shows a score that follows from the weights and credits of its checks', async () => {
    const { score, grade, checks, history } = await read();
    const applicable = checks.filter(({ status }) => status !== 'not_applicable');
    const total = applicable.reduce((sum, { weight }) => sum + weight, 0);
    const earned = applicable.reduce((sum, { weight, credit }) => sum + weight * credit, 0);
    expect(score).toBe(Math.floor((100 * earned) / total));
    expect(grade).toMatch(/^[A-F]$/);
    expect(history).toBeNull();
    expect(checks.find(({ key }) => key === HIGH)).toMatchObject({
      ...{ category: 'credentials', severity: 'high', weight: 6, credit: 0, status: 'fail', exception: null },
      measured: '1 API keys with all scopes',
      remediation: { path: '/api/settings/developer/api-keys' },
    });
  });

  it('filters checks by status and severity without changing the score', async () => {
    const all = await read();
    const some = await read('?status=fail,warning&severity=high,critical');
    expect(some.score).toBe(all.score);
    expect(some.checks).toEqual(
      all.checks
        .filter(({ status, severity }) => /fail|warning/.test(status) && /high|critical/.test(severity))
        .map((check) => ({ ...check, since: expect.any(String) as string })),
    );
    expect(some.checks.length).toBeGreaterThan(0);
  });

  it('is capped at 59 while a critical check fails, and no longer once it has an exception', async () => {
    await setDomains(['acme.example']);
    await asAdmin(
      platform.database,
      `update directory.credentials set scopes = '{security:read,security:manage,mfa:manage,settings:manage,settings:read,ai-budgets:manage}',
         expires_at = now() + interval '30 days' where tenant_id = $1`,
      [tenant.id],
    );
    await tenant.api.patch('/api/admin/security/mfa', { policy: 'admins' });
    const budget = { scope: { type: 'tenant' }, period: 'month', limitMicros: 1_000_000 };
    await tenant.api.post('/api/ai/budgets', budget);
    await platform.member(tenant, 'Ana', ['*'], { roles: ['owner'] });
    await asAdmin(
      platform.database,
      `update directory.credentials set revoked_at = now() where tenant_id = $1 and member_id is not null`,
      [tenant.id],
    );
    await platform.member(tenant, 'Ben', ['deals:read'], { roles: ['owner'] });
    const capped = await read();
    expect(capped).toMatchObject({ score: 59, grade: 'F' });
    expect((await except(CRITICAL)).body).toMatchObject({ status: 'excepted', credit: 0, pendingApproval: null });
    expect((await read()).score).toBeGreaterThan(59);
  });

  it('is audited', async () => {
    await read();
    expect(await audited('security.posture.read')).toHaveLength(1);
  });
});

describe('a run', () => {
  it('is stored with what has changed since the previous one', async () => {
    const first = await run();
    expect(first).toMatchObject({ runId: expect.any(String) as string, changes: [], history: null });
    await setDomains(['acme.example']);
    const second = await run();
    expect(second.changes).toEqual([{ checkKey: LOW, severity: 'low', from: 'fail', to: 'pass' }]);
    expect(second.score).toBeGreaterThanOrEqual(first.score);
    const { history } = await read('?include=history');
    expect(history).toMatchObject([
      { runId: second.runId, score: second.score, grade: second.grade, changes: second.changes },
      { runId: first.runId, score: first.score, changes: [] },
    ]);
    expect((await audited('security.posture.assessed'))[1]).toMatchObject({ target: { id: second.runId } });
    expect((await told('security.posture.assessed'))[1]).toMatchObject({ changes: second.changes, trigger: 'request' });
  });

  it('counts critical checks that begin to fail', async () => {
    await run();
    await platform.member(tenant, 'Ana', ['*'], { roles: ['owner'] });
    await run();
    await run();
    const counts = (await told('security.posture.assessed')).map((data) => data['newCriticalFailures']);
    expect(counts).toEqual([0, 1, 0]);
  });

  it('can be limited; other checks keep their last result', async () => {
    await run();
    await setDomains(['acme.example']);
    await tenant.api.patch('/api/admin/security/mfa', { policy: 'all' });
    const limited = await run({ checkKeys: [LOW] });
    expect(limited.changes).toMatchObject([{ checkKey: LOW }]);
    expect(limited.checks.find(({ key }) => key === 'sign_in.mfa_policy')).toMatchObject({ status: 'fail' });
    expect((await run({ categories: ['sign_in'] })).changes).toMatchObject([{ checkKey: 'sign_in.mfa_policy' }]);
  });

  it('shows since when a check has its status', async () => {
    const { asOf } = await run();
    platform.clock.advance(60_000);
    expect(await checkOf(LOW)).toMatchObject({ status: 'fail', since: asOf });
    await setDomains(['acme.example']);
    const later = await read();
    expect(later.checks.find(({ key }) => key === LOW)).toMatchObject({ status: 'pass', since: later.asOf });
  });

  it('is stored once for each of several concurrent requests, and no change is told twice', async () => {
    await run();
    await setDomains(['acme.example']);
    const runs = await Promise.all([run(), run(), run()]);
    expect(runs.map(({ changes }) => changes.length).sort()).toEqual([0, 0, 1]);
  });
});

describe('an exception', () => {
  it('gives no credit, is listed, and ends at its time', async () => {
    const { body, status } = await except(LOW, 10);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ status: 'excepted', credit: 0, version: 2 },
      exception: { reason: 'Migration', grantedBy: { type: 'api_key' } },
    });
    platform.clock.advance(11 * DAY_MS);
    expect(await checkOf(LOW)).toMatchObject({ status: 'fail', exception: null });
    expect((await audited('security.posture_check.exception_granted'))[0]).toMatchObject({ reason: 'Migration' });
  });

  it('does not hide that a check passes', async () => {
    await except(LOW);
    await setDomains(['acme.example']);
    expect(await checkOf(LOW)).toMatchObject({ status: 'pass', credit: 1 });
  });

  it('can be removed', async () => {
    await except(LOW);
    expect((await patch({ checkKey: LOW, exception: null })).body).toMatchObject({ status: 'fail', exception: null });
    expect(await audited('security.posture_check.exception_removed')).toHaveLength(1);
  });

  it('is not recorded again if nothing changes', async () => {
    const terms = { checkKey: LOW, exception: { reason: 'Migration', expiresAt: inDays(10) } };
    await patch(terms);
    expect((await patch(terms)).body).toMatchObject({ version: 2 });
    expect(await told('security.posture_check.exception_granted')).toHaveLength(1);
  });

  it.each<[string, object, string, string]>([
    ['an unknown check', { checkKey: 'members.unheard_of', ownerId: null }, '/checkKey', 'unknown_check'],
    ['no reason', { exception: { expiresAt: inYear() } }, '/exception/reason', 'required'],
    ['a blank reason', { exception: { reason: ' ', expiresAt: inYear() } }, '/exception/reason', 'invalid_format'],
    [
      'more than 365 days',
      { exception: { reason: 'R', expiresAt: '2999-01-01T00:00:00.000Z' } },
      '/exception/expiresAt',
      'exception_too_long',
    ],
    [
      'an end in the past',
      { exception: { reason: 'R', expiresAt: '2020-01-01T00:00:00.000Z' } },
      '/exception/expiresAt',
      'out_of_range',
    ],
    ['an unknown threshold', { thresholds: { maxDays: 5 } }, '/thresholds/maxDays', 'unknown_threshold'],
    [
      'a threshold out of range',
      { checkKey: 'members.owners', thresholds: { maxOwners: 1_000 } },
      '/thresholds/maxOwners',
      'out_of_range',
    ],
    [
      'a threshold that is no number',
      { checkKey: 'members.owners', thresholds: { maxOwners: 'many' } },
      '/thresholds/maxOwners',
      'invalid_type',
    ],
    ['an unknown owner', { ownerId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40' }, '/ownerId', 'unknown_reference'],
  ])('is refused with %s', async (_, body, pointer, code) => {
    expect(await patch({ checkKey: LOW, ...body })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', errors: [{ pointer, code }] },
    });
  });
});

describe('a check', () => {
  it('takes an owner, another severity and other thresholds, and their defaults back', async () => {
    const { id } = await platform.member(tenant, 'Ana', ['*'], { roles: ['member'] });
    const key = 'members.owners';
    const set = { checkKey: key, ownerId: id, severityOverride: 'low', thresholds: { maxOwners: 9, minOwners: 1 } };
    expect((await patch(set)).body).toMatchObject({
      ...{ ownerId: id, severity: 'low', severityOverride: 'low', weight: 1, expected: '1 to 9 active owners' },
    });
    expect((await patch({ checkKey: key, thresholds: { maxOwners: null } })).body).toMatchObject({
      thresholds: { minOwners: 1, maxOwners: 5 },
    });
    const back = { checkKey: key, ownerId: null, severityOverride: null, thresholds: null };
    expect((await patch(back)).body).toMatchObject({
      ...{ ownerId: null, severity: 'high', severityOverride: null, thresholds: { minOwners: 2, maxOwners: 5 } },
    });
  });

  it('can be acknowledged while it fails', async () => {
    const acknowledged = await run({ action: 'acknowledge', checkKey: LOW, note: 'Ticket 41' });
    expect(acknowledged).toMatchObject({ runId: null, changes: [] });
    expect(await audited('security.posture_check.acknowledged')).toHaveLength(1);
    await run();
    await run({ action: 'acknowledge', checkKey: LOW, note: 'Ticket 42' });
    expect(await checkOf(LOW)).toMatchObject({ status: 'fail', acknowledgement: { note: 'Ticket 42' } });
    await setDomains(['acme.example']);
    expect(await checkOf(LOW)).toMatchObject({ status: 'pass', acknowledgement: null });
    const again = await tenant.api.post(POSTURE, { action: 'acknowledge', checkKey: LOW, note: 'Ticket 42' });
    expect(again).toMatchObject({ status: 409, body: { code: 'check_not_failing' } });
  });

  it.each<[object, string, string]>([
    [{ action: 'acknowledge', checkKey: LOW }, '/note', 'required'],
    [{ action: 'acknowledge', note: 'N' }, '/checkKey', 'required'],
    [{ action: 'acknowledge', checkKey: LOW, note: 'N', categories: ['ai'] }, '/categories', 'not_with_action'],
    [{ note: 'N' }, '/note', 'not_with_action'],
    [{ checkKeys: ['unheard.of'] }, '/checkKeys/0', 'unknown_check'],
  ])('command %j is refused', async (body, pointer, code) => {
    expect(await tenant.api.post(POSTURE, body)).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
  });
});

describe('loosening a check of high severity', () => {
  const gate = (effect: string, conditions: object[] = []) =>
    replaceGates(tenant.api, [{ key: 'posture.loosen', effect, conditions }]);
  const owner = async () => (await person(platform, tenant, 'owner')).api;
  type Waiting = Json & { pendingApproval: { id: string; status: string } | null };

  it.each<[string, object, boolean]>([
    ['an exception', { checkKey: HIGH, exception: { reason: 'R', expiresAt: inYear() } }, true],
    ['a lower severity', { checkKey: HIGH, severityOverride: 'low' }, true],
    ['other thresholds', { checkKey: 'members.owners', thresholds: { maxOwners: 9 } }, true],
    ['a higher severity', { checkKey: HIGH, severityOverride: 'critical' }, false],
    ['removing an exception', { checkKey: HIGH, exception: null }, false],
    [
      'an exception from a check of low severity',
      { checkKey: LOW, exception: { reason: 'R', expiresAt: inYear() } },
      false,
    ],
  ])('with %s waits at the gate if it loosens', async (_, change, waits) => {
    await gate('require_approval');
    const [requester, approver] = [await owner(), await owner()];
    const answer = await patch(change, requester);
    const { pendingApproval } = answer.body as Waiting;
    expect(answer.status).toBe(200);
    if (!waits) return expect(pendingApproval).toBeNull();
    expect(answer.body).toMatchObject({ version: 1, exception: null, severityOverride: null });
    expect(await patch(change, requester)).toMatchObject({ status: 409, body: { code: 'approval_pending' } });
    const approved = await approver.post<Json>(`/api/home/approvals/${pendingApproval!.id}/approve`);
    expect(approved.body).toMatchObject({ status: 'executed' });
    expect(await checkOf(String((change as Json)['checkKey']))).toMatchObject({ version: 2 });
  });

  it('is not approved by its requester, person or key', async () => {
    await gate('require_approval');
    const { api } = await person(platform, tenant, 'owner');
    for (const requester of [api, tenant.api]) {
      const { body } = await except(requester === tenant.api ? CRITICAL : HIGH, 30, requester);
      const path = `/api/home/approvals/${(body as Waiting).pendingApproval!.id}/approve`;
      expect(await requester.post<Json>(path)).toMatchObject({ status: 403, body: { code: 'not_an_approver' } });
    }
    expect(await checkOf(HIGH)).toMatchObject({ exception: null });
  });

  it('is not done if the check has changed in the meantime', async () => {
    await gate('require_approval');
    const [requester, approver] = [await owner(), await owner()];
    const { body } = await except(HIGH, 30, requester);
    await patch({ checkKey: HIGH, severityOverride: 'critical' });
    const path = `/api/home/approvals/${(body as Waiting).pendingApproval!.id}/approve`;
    expect((await approver.post<Json>(path)).body).toMatchObject({
      status: 'failed',
      failure: { code: 'stale_target' },
    });
    expect(await checkOf(HIGH)).toMatchObject({ exception: null });
  });

  it('is refused if the gate denies it, under its conditions', async () => {
    await gate('deny', [{ field: 'severity', op: 'eq', value: 'critical' }]);
    expect(await except(CRITICAL)).toMatchObject({
      status: 403,
      body: { code: 'gate_denied', gate: 'posture.loosen' },
    });
    expect(await except(HIGH)).toMatchObject({ status: 200, body: { pendingApproval: null } });
  });
});

describe('permissions', () => {
  it.each<[string, number, number, number]>([
    ['admin', 200, 200, 200],
    ['auditor', 200, 200, 403],
    ['developer', 200, 403, 403],
    ['manager', 403, 403, 403],
  ])('%s: read %i, run %i, change %i', async (role, reads, runs, changes) => {
    const { api } = await platform.member(tenant, role, ['*'], { roles: [role] });
    expect((await api.get(POSTURE)).status).toBe(reads);
    expect((await api.post(POSTURE, {})).status).toBe(runs);
    expect((await patch({ checkKey: LOW, ownerId: null }, api)).status).toBe(changes);
  });
});

function inYear(): string {
  return new Date(Date.now() + 300 * DAY_MS).toISOString();
}
