import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import type { AiPolicyView } from '#src/areas/ai/policy/ai-policy.dto.js';
import type { Client } from '../../harness/client.js';
import { adminPool } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const POLICY = '/api/ai/policy';
const NOBODY = '01890000-0000-7000-8000-000000000000';

interface Refusal {
  code: string;
  errors: { pointer: string; code: string }[];
}

let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  ({ api } = tenant);
});
afterAll(() => platform.close());

const read = async (path = POLICY) => (await api.get<AiPolicyView>(path)).body;
const change = (patch: object, headers?: Record<string, string>) => api.patch<AiPolicyView>(POLICY, patch, headers);
const faults = async (patch: object) => {
  const { status, body } = await api.patch<Refusal>(POLICY, patch);
  expect(status).toBe(400);
  expect(body.code).toBe('validation_failed');
  return body.errors.map(({ pointer, code }) => `${pointer} ${code}`);
};
const rule = (more: object) => ({ approvalRules: [{ when: { kinds: ['agent.run'] }, ...more }] });

describe('the policy', () => {
  it('is version 0 until changed: everything allowed, personal data masked', async () => {
    const answer = await api.get<AiPolicyView>(POLICY);
    expect(answer.headers.get('etag')).toBe('"0"');
    expect(answer.body).toEqual({
      id: tenant.id,
      object: 'ai.policy',
      version: 0,
      updatedAt: null,
      updatedBy: null,
      enabled: true,
      allowedProviders: null,
      allowedModels: null,
      allowedKinds: null,
      defaultCostCapMicros: 1_000_000,
      maxCostCapMicros: 10_000_000,
      concurrency: 5,
      ratePerMinute: 60,
      approvalRules: [],
      allowSelfApproval: false,
      personalData: 'mask',
      personalDataKinds: ['email', 'phone', 'payment_card', 'iban', 'national_id', 'ip_address', 'date_of_birth'],
      storeInputs: 'hash',
      retentionDays: 30,
      processingRegions: null,
    });
  });

  it('is changed by merge patch: missing members stay, null restores the default', async () => {
    await change({ retentionDays: 7, allowedKinds: ['text.summarize'], processingRegions: ['eu'] });
    const { body } = await change({ retentionDays: null, allowedKinds: [] });
    expect(body).toMatchObject({ version: 2, retentionDays: 30, allowedKinds: [], processingRegions: ['eu'] });
    expect(await read()).toEqual(body);
  });

  it('keeps every version unchanged, with its author', async () => {
    const { body: first } = await change({ personalData: 'block' });
    await change({ personalData: 'allow', concurrency: 2 });
    expect(await read(`${POLICY}?version=1`)).toEqual(first);
    expect(first.updatedBy).toMatchObject({ type: 'api_key' });
    expect(await read(`${POLICY}?version=0`)).toMatchObject({ version: 0, personalData: 'mask', updatedBy: null });
    const { body } = await api.get<{ data: AiPolicyView[] }>(`${POLICY}/versions`);
    expect(body.data.map(({ version, personalData }) => [version, personalData])).toEqual([
      [2, 'allow'],
      [1, 'block'],
    ]);
    expect(await api.get(`${POLICY}?version=3`)).toMatchObject({ status: 404 });
    for (const none of ['-1', 'x', '99999999999'])
      expect(await api.get(`${POLICY}?version=${none}`)).toMatchObject({ status: 400 });
  });

  it('creates no version for a patch without changes', async () => {
    await change({ retentionDays: 7 });
    expect((await change({ retentionDays: 7, concurrency: 5, allowedModels: null })).body.version).toBe(1);
    expect((await change({})).body.version).toBe(1);
  });

  it('respects If-Match', async () => {
    await change({ retentionDays: 7 }, { 'if-match': '"0"' });
    expect(await change({ retentionDays: 8 }, { 'if-match': '"0"' })).toMatchObject({
      status: 412,
      body: { code: 'version_mismatch', version: 1 },
    });
    expect((await read()).retentionDays).toBe(7);
  });

  it('gives each of many concurrent changes a separate version', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => change({ retentionDays: 100 + n })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.map(({ body }) => body.version).sort((a, b) => a - b)).toEqual(answers.map((_, n) => n + 1));
  });

  it('requires its own permission for changes', async () => {
    const reader = await platform.key(tenant, ['ai-jobs:read', 'settings:manage']);
    expect(await reader.get(POLICY)).toMatchObject({ status: 200 });
    expect(await reader.patch(POLICY, { enabled: false })).toMatchObject({ status: 403 });
  });

  it('is separate for each tenant', async () => {
    await change({ enabled: false });
    const { api: other } = await platform.tenant();
    expect((await other.get<AiPolicyView>(POLICY)).body).toMatchObject({ version: 0, enabled: true });
    expect(await other.get(`${POLICY}?version=1`)).toMatchObject({ status: 404 });
  });

  it('writes audit entry and event', async () => {
    await change({ maxCostCapMicros: 2_000_000 });
    const { body: audit } = await api.get<{ data: object[] }>('/api/admin/audit-logs?action=ai.policy.updated');
    expect(audit.data).toMatchObject([
      {
        target: { type: 'ai.policy', id: tenant.id },
        riskLevel: 'high',
        changes: { maxCostCapMicros: { from: 10_000_000, to: 2_000_000 } },
      },
    ]);
    const admin = adminPool(platform.database.adminUrl, 1);
    const { rows } = await admin.query<{ type: string; changes: object }>(
      `select type, envelope::jsonb -> 'changes' as changes from data.events where tenant_id = $1 and type like 'ai.%'`,
      [tenant.id],
    );
    await admin.end();
    expect(rows).toEqual([
      {
        type: 'ai.policy.updated',
        changes: expect.objectContaining({ maxCostCapMicros: expect.anything() as unknown }),
      },
    ]);
  });
});

describe('rules for approval', () => {
  it('are completed with defaults', async () => {
    const { id } = await platform.member(tenant, 'Approver');
    const { body } = await change({
      approvalRules: [
        {},
        {
          when: { costOverMicros: 0, areas: ['people'], personalData: true, requesterRoles: [SYSTEM_ROLE_IDS.member] },
          approvers: { memberIds: [id], roleIds: [SYSTEM_ROLE_IDS.admin] },
          quorum: 2,
          expiresInMinutes: 60,
        },
      ],
    });
    expect(body.approvalRules).toEqual([
      {
        when: {},
        approvers: { memberIds: [], roleIds: [], managerOfRequester: false },
        quorum: 1,
        expiresInMinutes: 1_440,
      },
      {
        when: { costOverMicros: 0, areas: ['people'], personalData: true, requesterRoles: [SYSTEM_ROLE_IDS.member] },
        approvers: { memberIds: [id], roleIds: [SYSTEM_ROLE_IDS.admin], managerOfRequester: false },
        quorum: 2,
        expiresInMinutes: 60,
      },
    ]);
  });

  it.each([
    [{ approvers: { memberIds: [NOBODY] } }, '/approvalRules/0/approvers/memberIds unknown_reference'],
    [{ approvers: { roleIds: [NOBODY] } }, '/approvalRules/0/approvers/roleIds/0 unknown_reference'],
    [{ when: { requesterRoles: [NOBODY] } }, '/approvalRules/0/when/requesterRoles/0 unknown_reference'],
    [{ when: { kinds: ['text.dance'] } }, '/approvalRules/0/when/kinds/0 unknown_reference'],
    [{ when: { areas: ['sales', 'nowhere'] } }, '/approvalRules/0/when/areas/1 unknown_reference'],
    [{ when: { costOverMicros: -1 } }, '/approvalRules/0/when/costOverMicros out_of_range'],
    [{ when: { moon: 'full' } }, '/approvalRules/0/when/moon unknown_field'],
    [{ quorum: 2, approvers: { managerOfRequester: true } }, '/approvalRules/0/quorum out_of_range'],
    [{ quorum: 6 }, '/approvalRules/0/quorum out_of_range'],
    [{ expiresInMinutes: 4 }, '/approvalRules/0/expiresInMinutes out_of_range'],
  ])('refuse %j', async (more, fault) => {
    expect(await faults(rule(more))).toEqual([fault]);
    expect((await read()).version).toBe(0);
  });
});

describe('an invalid policy', () => {
  it.each([
    [{ defaultCostCapMicros: 11_000_000 }, '/defaultCostCapMicros out_of_range'],
    [{ maxCostCapMicros: 999_999 }, '/defaultCostCapMicros out_of_range'],
    [{ allowedKinds: ['text.summarize', 'text.dance'] }, '/allowedKinds/1 unknown_reference'],
    [{ allowedProviders: ['local', 'nowhere'] }, '/allowedProviders/1 unknown_reference'],
    [{ allowedModels: ['local-1', 'nothing'] }, '/allowedModels/1 unknown_reference'],
    [{ allowedKinds: ['text.summarize', 'text.summarize'] }, '/allowedKinds not_unique'],
    [{ personalData: 'ignore' }, '/personalData invalid_value'],
    [{ personalDataKinds: ['shoe_size'] }, '/personalDataKinds/0 invalid_value'],
    [{ storeInputs: 'sometimes' }, '/storeInputs invalid_value'],
    [{ concurrency: 0 }, '/concurrency out_of_range'],
    [{ ratePerMinute: 0 }, '/ratePerMinute out_of_range'],
    [{ retentionDays: 0 }, '/retentionDays out_of_range'],
    [{ version: 3 }, '/version unknown_field'],
  ])('%j', async (patch, fault) => {
    expect(await faults(patch)).toEqual([fault]);
    expect((await read()).version).toBe(0);
  });

  it('reports all failures at once', async () => {
    expect(
      await faults({
        defaultCostCapMicros: 11_000_000,
        allowedKinds: ['x'],
        ...rule({ quorum: 2, approvers: { memberIds: [NOBODY] } }),
      }),
    ).toEqual([
      '/defaultCostCapMicros out_of_range',
      '/allowedKinds/0 unknown_reference',
      '/approvalRules/0/quorum out_of_range',
    ]);
  });
});

describe('versions and decisions', () => {
  it('cannot be changed or deleted', async () => {
    await change({ enabled: false });
    const job = { kind: 'text.summarize', input: { text: 'Acme has signed.' } };
    expect(await api.post('/api/ai/jobs', job)).toMatchObject({
      status: 403,
      body: { code: 'ai_policy_denied', rules: ['policy.disabled'] },
    });
    const admin = adminPool(platform.database.adminUrl, 1);
    for (const table of ['ai_policies', 'ai_decisions'])
      for (const attempt of [`update data.${table} set tenant_id = tenant_id`, `delete from data.${table}`])
        await expect(admin.query(`${attempt} where tenant_id = $1`, [tenant.id])).rejects.toThrow('never change');
    await admin.end();
  });
});
