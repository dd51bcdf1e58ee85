import type { AutomationView } from '#src/areas/ai/policy/automation.dto.js';
import type { Client } from '../../harness/client.js';
import { adminPool } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const JOB = { kind: 'text.summarize', input: { text: 'Acme has signed. The renewal starts in May.' } };

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

const pause = (reason = 'Wrong mails', as = api) => as.post<AutomationView>('/api/ai/pause', { reason });
const resume = (reason = 'Corrected', as = api) => as.post<AutomationView>('/api/ai/resume', { reason });

async function events(): Promise<{ type: string; version: string }[]> {
  const admin = adminPool(platform.database.adminUrl, 1);
  const { rows } = await admin.query<{ type: string; version: string }>(
    `select type, envelope::jsonb -> 'subject' ->> 'version' as version from data.events
     where tenant_id = $1 and type like 'ai.automation.%' order by id`,
    [tenant.id],
  );
  await admin.end();
  return rows;
}

describe('the kill switch', () => {
  it('pauses and resumes with a reason in the audit log', async () => {
    expect((await pause()).body).toMatchObject({ id: tenant.id, version: 1, isPaused: true, reason: 'Wrong mails' });
    expect((await resume()).body).toMatchObject({ version: 2, isPaused: false, reason: null });
    const { body } = await api.get<{ data: object[] }>('/api/admin/audit-logs?targetType=ai.automation');
    expect(body.data).toMatchObject([
      { action: 'ai.automation.resumed', reason: 'Corrected', riskLevel: 'high' },
      { action: 'ai.automation.paused', reason: 'Wrong mails', riskLevel: 'high' },
    ]);
    expect(await events()).toEqual([
      { type: 'ai.automation.paused', version: '1' },
      { type: 'ai.automation.resumed', version: '2' },
    ]);
  });

  it('refuses to change what is so already, even concurrently', async () => {
    const running = { code: 'invalid_transition', state: 'running', action: 'resume', allowedActions: ['pause'] };
    expect(await resume()).toMatchObject({ status: 409, body: running });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => pause(`Reason ${n}`)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(7);
    const paused = { code: 'invalid_transition', state: 'paused', action: 'pause', allowedActions: ['resume'] };
    for (const each of refused) expect(each).toMatchObject({ status: 409, body: paused });
    expect(await events()).toEqual([{ type: 'ai.automation.paused', version: '1' }]);
  });

  it('refuses new jobs of this tenant only, until work is resumed', async () => {
    await pause();
    expect(await api.post('/api/ai/jobs', JOB)).toMatchObject({ status: 423, body: { code: 'ai_paused' } });
    expect((await api.get<{ data: object[] }>('/api/ai/jobs')).body.data).toEqual([]);
    const { api: other } = await platform.tenant();
    expect(await other.post('/api/ai/jobs', JOB)).toMatchObject({ status: 201 });
    await resume();
    expect(await api.post('/api/ai/jobs', JOB)).toMatchObject({ status: 201 });
  });

  it('requires ai-jobs:manage and a reason', async () => {
    const asker = await platform.key(tenant, ['ai-jobs:write', 'ai-jobs:approve', 'ai-policy:manage']);
    expect(await pause('x', asker)).toMatchObject({ status: 403 });
    expect(await resume('x', asker)).toMatchObject({ status: 403 });
    expect(await pause(' ')).toMatchObject({ status: 400 });
    const manager = await platform.key(tenant, ['ai-jobs:manage']);
    expect(await pause('x', manager)).toMatchObject({ status: 200 });
  });
});
