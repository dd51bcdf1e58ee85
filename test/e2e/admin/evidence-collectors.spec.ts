import type { EvidenceBundle, EvidenceItem } from '#src/areas/assurance/evidence/evidence.dto.js';
import { CHECK_KEYS } from '#src/areas/assurance/security/posture/checks/all.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { decide, park, setGate } from '../approvals/approval-calls.js';
import { acted, dayFrom, EMPLOYEES, makeEmployee } from '../people/people-calls.js';
import { connect } from '../scim/scene.js';
import { makeKey } from '../settings/key-calls.js';
import { VIEWER } from './people-calls.js';
import { RETENTION } from './retention-stage.js';
import { command, crewOf, decide as decideItems, itemsOf, startReview } from './review-calls.js';

/** What the collectors read, on data created through the API. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const sql = (text: string, values: unknown[] = []) => asAdmin(platform.database, text, [tenant.id, ...values]);

async function item(controlId: string): Promise<EvidenceItem> {
  const { body } = await tenant.api.get<EvidenceBundle>(`/api/admin/compliance/evidence?controls=${controlId}`);
  return body.items[0]!;
}

it('measures the hours from the last day to the removal of access', async () => {
  const now = platform.clock.nowMs();
  const startDate = dayFrom(now, -90);
  const [soon, late] = [await makeEmployee(tenant.api, { startDate }), await makeEmployee(tenant.api, { startDate })];
  await acted(tenant.api, EMPLOYEES, soon.id, 'terminate', { type: 'voluntary' });
  await acted(tenant.api, EMPLOYEES, late.id, 'terminate', { type: 'voluntary', terminationDate: dayFrom(now, -4) });
  const { status, data } = await item('access-leavers');
  expect(status).toBe('fail');
  expect(data.rows).toMatchObject([
    { employeeId: late.id, finding: 'The access was removed after more than 24 hours.' },
    { employeeId: soon.id, hoursToRemoval: 0, finding: null },
  ]);
  const hours =
    (Date.parse(String(data.rows[0]!['accessRemovedAt'])) - Date.parse(`${dayFrom(now, -3)}T00:00:00Z`)) / 3_600_000;
  expect(data.rows[0]!['hoursToRemoval']).toBeCloseTo(hours, 1);
});

it('lists privileged members, also by a custom role, and the joiners of the period', async () => {
  const { body: role } = await tenant.api.post('/api/admin/roles', {
    name: 'Secret keeper',
    permissions: ['secrets:*'],
  });
  await platform.member(tenant, 'Owner', ['*'], { roles: ['owner'] });
  await platform.member(tenant, 'Keeper', ['*'], { roles: [String(role['id'])] });
  const viewer = await platform.member(tenant, 'Viewer', ['*'], { roles: ['viewer'] });
  await sql(
    `update data.memberships set joined_at = now() - interval '1 day', version = version + 1 where tenant_id = $1 and id = $2`,
    [viewer.id],
  );
  const { status, data } = await item('access-privileged');
  expect(status).toBe('fail');
  expect(data.rows).toMatchObject([
    { name: 'Keeper', roles: ['Secret keeper'], privileged: true, secondFactor: false },
    { name: 'Owner', roles: ['owner'], privileged: true },
  ]);
  expect(await item('access-joiners')).toMatchObject({ status: 'pass', data: { rows: [{ name: 'Viewer' }] } });
});

it('lists whom the multi-factor policy covers', async () => {
  await platform.member(tenant, 'Owner', ['*'], { roles: ['owner'] });
  await platform.member(tenant, 'Viewer', ['*'], { roles: ['viewer'] });
  expect(await item('auth-mfa-policy')).toMatchObject({ status: 'fail', data: { rows: [{ policy: 'optional' }] } });
  expect(await item('auth-mfa-coverage')).toMatchObject({ status: 'not_tested', data: { total: 0 } });
  await tenant.api.patch('/api/admin/security/mfa', { policy: 'admins' });
  expect(await item('auth-mfa-policy')).toMatchObject({ status: 'pass' });
  expect((await item('auth-mfa-coverage')).data.rows).toMatchObject([{ name: 'Owner' }]);
  await tenant.api.patch('/api/admin/security/mfa', { policy: 'all' });
  expect((await item('auth-mfa-coverage')).data.rows).toMatchObject([{ name: 'Owner' }, { name: 'Viewer' }]);
  const changes = (await item('changes-settings')).data.rows;
  expect(changes).toMatchObject([
    { action: 'security.mfa.updated' },
    { action: 'security.mfa.updated', changed: ['effectiveAt', 'policy'] },
  ]);
});

it('lists requests for approval with who decided', async () => {
  const approver = await platform.member(tenant, 'Approver', ['*'], { roles: ['owner'] });
  const seller = await platform.member(tenant, 'Seller', ['*'], { roles: ['manager'] });
  await setGate(tenant);
  const waiting = await park(seller.api);
  await decide(approver.api, waiting, 'approve');
  expect(await item('changes-approvals')).toMatchObject({
    status: 'pass',
    data: {
      rows: [{ gate: 'deal.win', status: 'executed', requester: seller.id, approvedBy: [approver.id], finding: null }],
    },
  });
});

it('lists keys and secrets without what is secret', async () => {
  const { body: key } = await tenant.api.post('/api/settings/developer/api-keys', {
    name: 'CI',
    kind: 'service',
    scopes: ['deals:read'],
  });
  const keys = await item('keys-api-keys');
  expect(keys.data.rows).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ keyId: key['id'], kind: 'service', dormant: false, finding: null }),
    ]),
  );
  expect(JSON.stringify(keys)).not.toContain(String(key['apiKey']));
  expect((await item('keys-api-key-changes')).data.rows).toMatchObject([{ action: 'settings.api_key.created' }]);
  const url = 'http://127.0.0.1:9/path';
  const { body: endpoint } = await tenant.api.post('/api/webhooks/endpoints', { url, eventTypes: ['*'] });
  await sql(`update data.webhook_endpoints set created_at = now() - interval '2 years' where tenant_id = $1`);
  expect(await item('keys-webhook-secrets')).toMatchObject({
    status: 'fail',
    data: { rows: [{ endpointId: endpoint['id'], host: '127.0.0.1:9' }] },
  });
  await tenant.api.post(`/api/webhooks/endpoints/${String(endpoint['id'])}/rotate-secret`);
  expect(await item('keys-webhook-secrets')).toMatchObject({ status: 'pass' });
  expect(await item('keys-data-keys')).toMatchObject({
    status: 'pass',
    data: { rows: [{ version: 1, isCurrent: true, unusedSince: null, masterKeyId: platform.database.masterKeys.id }] },
  });
  expect(await item('keys-master-keys')).toMatchObject({
    status: 'pass',
    data: { rows: [{ masterKeyId: platform.database.masterKeys.id, isCurrent: true, dataKeys: 1 }] },
  });
  const signing = (await item('keys-signing-keys')).data.rows.at(-1);
  expect(signing).toMatchObject({ keyId: expect.stringMatching(/^[\w-]{43}$/), notAfter: null });
});

it('lists exceptions, connections, removals, resets and refusals', async () => {
  const member = await platform.member(tenant, 'Member', ['*'], { roles: ['member'] });
  const { body: deal } = await tenant.api.post('/api/v1/sales/deals', { name: 'Renewal' });
  const given = {
    object: 'sales.deal',
    objectId: deal['id'],
    level: 'view',
    principal: { type: 'membership', id: member.id },
  };
  expect((await tenant.api.post('/api/admin/resource-permissions', given)).status).toBe(200);
  expect(await item('access-exceptions')).toMatchObject({ status: 'fail', data: { total: 1 } });
  await connect(platform, { name: 'Provider' }, tenant);
  expect(await item('access-provisioning')).toMatchObject({ status: 'pass', data: { rows: [{ status: 'active' }] } });
  const path = `/api/admin/memberships/${member.id}`;
  await tenant.api.post(`${path}/reset-session`);
  expect((await item('auth-session-resets')).data.rows).toMatchObject([{ targetId: member.id }]);
  await tenant.api.patch(path, { roleIds: [VIEWER] });
  await member.api.post('/api/v1/sales/deals', { name: 'Refused' });
  await tenant.api.patch(path, { status: 'suspended' });
  expect((await item('access-removals')).data.rows).toMatchObject([
    { action: 'core.membership.suspended', targetId: member.id },
  ]);
  expect((await item('auth-refusals')).data.rows).toMatchObject([{ action: 'sales.deals.create', refusals: 1 }]);
  expect((await item('access-changes')).data.rows).toMatchObject([
    { action: 'core.resource_permission.granted' },
    { action: 'core.membership.updated', isOwn: false, finding: null },
  ]);
});

it('lists access reviews with their decisions and executed revocations', async () => {
  const { owner, deputy } = await crewOf(platform, tenant);
  const { id } = await makeKey(owner.api, { name: 'Service', kind: 'service', scopes: ['deals:read'] });
  const review = await startReview(
    platform,
    owner.api,
    { apiKeys: true },
    { reviewers: { strategy: 'named', membershipIds: [deputy.id] } },
  );
  const items = await itemsOf(deputy.api, review.id);
  await decideItems(deputy.api, review.id, items.values(), 'revoke');
  expect(await item('access-reviews')).toMatchObject({ status: 'fail', data: { rows: [{ revoked: 1, applied: 0 }] } });
  expect((await item('access-review-decisions')).data.rows).toMatchObject([
    { decision: 'revoke', appliedAt: null, finding: 'The access is not removed.' },
  ]);
  await command(owner.api, { action: 'complete', campaignId: review.id });
  expect(await item('access-reviews')).toMatchObject({
    status: 'pass',
    data: {
      rows: [{ reviewId: review.id, status: 'completed', populationHash: review.populationHash, items: 1, applied: 1 }],
    },
  });
  const { status, data } = await item('access-review-decisions');
  expect(status).toBe('pass');
  expect(data.rows).toMatchObject([
    { subjectId: id, reviewerId: deputy.id, decidedByType: 'api_key', snapshot: { scopes: ['deals:read'] } },
  ]);
  const entries = await sql(`select action, target_id from data.audit_log where tenant_id = $1 and id = $2`, [
    data.rows[0]!['appliedEntryId'],
  ]);
  expect(entries).toEqual([{ action: 'compliance.access_review_item.applied', target_id: data.rows[0]!['itemId'] }]);
  await sql(
    `update data.access_reviews set completed_at = now() - interval '2 years', started_at = now() - interval '2 years'
     where tenant_id = $1`,
  );
  expect(await item('access-reviews')).toMatchObject({ status: 'not_tested' });
  expect(await item('access-review-decisions')).toMatchObject({ status: 'not_tested' });
});

it('lists retention policies and runs, and legal holds', async () => {
  const policy = { object: 'sales.deal', retainDays: 730, legalBasis: 'Contract' };
  const { body: made } = await tenant.api.post(RETENTION, { action: 'upsert_policy', ...policy });
  expect(await item('retention-policies')).toMatchObject({ status: 'pass', data: { rows: [policy] } });
  expect(await item('retention-runs')).toMatchObject({ status: 'not_tested' });
  expect((await tenant.api.post(RETENTION, { action: 'run_now', id: made['id'], confirm: true })).status).toBe(200);
  expect((await item('retention-runs')).data.rows).toMatchObject([
    { policyId: made['id'], object: 'sales.deal', disposition: 'delete', affected: 0, failed: 0, finishedAt: null },
  ]);
  const hold = { name: 'Globex dispute', reason: 'Lawsuit expected', scope: { objects: ['sales.deal'] } };
  const { body: placed } = await tenant.api.post(RETENTION, { action: 'place_hold', ...hold });
  expect(await item('retention-holds')).toMatchObject({
    status: 'pass',
    data: { rows: [{ holdId: placed['id'], name: hold.name, status: 'active', scope: hold.scope, releasedAt: null }] },
  });
});

it('lists the checks of the last run with their exceptions', async () => {
  const path = '/api/admin/security/posture';
  expect(await item('posture-checks')).toMatchObject({ status: 'not_tested' });
  const expiresAt = new Date(platform.clock.nowMs() + 86_400_000).toISOString();
  const exception = { reason: 'Migration', expiresAt };
  expect((await tenant.api.patch(path, { checkKey: 'sign_in.mfa_policy', exception })).status).toBe(200);
  const { body: run } = await tenant.api.post(path, {});
  const { data, status } = await item('posture-checks');
  expect(status).toBe('fail');
  const rows = new Map(data.rows.map((row) => [row['checkKey'], row]));
  expect([...rows.keys()].sort()).toEqual([...CHECK_KEYS].sort());
  expect(rows.get('sign_in.mfa_policy')).toMatchObject({
    runId: run['runId'],
    score: run['score'],
    severity: 'high',
    status: 'excepted',
    exceptionReason: 'Migration',
    exceptionExpiresAt: expiresAt,
    finding: null,
  });
  expect(rows.get('members.owners')).toMatchObject({ status: 'fail', finding: 'The check fails.' });
});

it('lists streams of the audit log with what waits for them', async () => {
  const { body: secret } = await tenant.api.post('/api/admin/secrets', {
    name: 'STREAM',
    value: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  });
  const { body: stream } = await tenant.api.post('/api/admin/audit-logs/streams', {
    name: 'SIEM',
    kind: 'https',
    url: 'https://127.0.0.1:9/audit?token=hidden',
    credentialSecretId: secret['id'],
    from: 'beginning',
  });
  const found = await item('audit-streams');
  expect(found).toMatchObject({
    status: 'pass',
    data: { rows: [{ streamId: stream['id'], host: '127.0.0.1:9', encrypted: true, status: 'active', lagHours: 0 }] },
  });
  expect(JSON.stringify(found)).not.toContain('hidden');
  platform.clock.advance(3 * 3_600_000);
  expect(await item('audit-streams')).toMatchObject({ status: 'fail', data: { rows: [{ lagHours: 3 }] } });
});

it('cuts long lists, counts all rows, and does not pass what it has not judged', async () => {
  await sql(
    `insert into data.resource_grants (tenant_id, id, object, object_id, principal_type, principal_id, level, effect,
       reason, granted_by, created_at, updated_at)
     select $1, gen_random_uuid(), 'sales.deal', gen_random_uuid(), 'membership', gen_random_uuid(), 'view', 'allow',
       'Cover', '{"type": "system", "id": null, "name": "test"}', now(), now() from generate_series(1, 5001)`,
  );
  const { status, data } = await item('access-exceptions');
  expect([status, data.total, data.truncated, data.rows.length]).toEqual(['not_tested', 5_001, true, 5_000]);
});
