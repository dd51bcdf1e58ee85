import type { ShownFeedback } from '#src/areas/ai/feedback/feedback.js';
import { AUDITED } from '../../harness/audit.js';
import type { Client } from '../../harness/client.js';
import { adminPool } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const JOBS = '/api/ai/jobs';
const JOB = { kind: 'text.summarize', input: { text: 'Acme has signed. The renewal starts in May.' } };

let platform: TestPlatform;
let tenant: TestTenant;
let anna: Client;
let bert: Client;
let jobId: string;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  ({ api: anna } = await platform.member(tenant, 'Anna'));
  ({ api: bert } = await platform.member(tenant, 'Bert'));
  ({
    body: { id: jobId },
  } = await anna.post<{ id: string }>(JOBS, JOB));
});
afterAll(() => platform.close());

const rate = (body: object, as = anna) => as.post<ShownFeedback>(`${JOBS}/${jobId}/feedback`, body);
const shown = async (as = anna) => (await as.get<{ feedback: ShownFeedback[] }>(`${JOBS}/${jobId}`)).body.feedback;

describe('feedback', () => {
  it('is shown on the job', async () => {
    const { body } = await rate({ rating: -1, comment: 'Too long', correctedOutput: 'May.' });
    expect(body).toMatchObject({ jobId, version: 1, rating: -1, comment: 'Too long', correctedOutput: 'May.' });
    expect(await shown()).toEqual([body]);
  });

  it('is unique per person and job, and replaced by a new one', async () => {
    const { body: first } = await rate({ rating: -1, comment: 'Too long' });
    await rate({ rating: 1 }, bert);
    const { body: second } = await rate({ rating: 1, correctedOutput: 'May.' });
    expect(second).toMatchObject({ id: first.id, version: 2, rating: 1, comment: null, createdAt: first.createdAt });
    expect((await shown()).map(({ rating, version }) => [rating, version])).toEqual([
      [1, 2],
      [1, 1],
    ]);
  });

  it('is unique even with concurrent requests of one person', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => rate({ rating: 1, comment: `Word ${n}` })));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(await shown()).toMatchObject([{ version: 6 }]);
  });

  it.each([{}, { rating: 0 }, { rating: 2 }, { rating: '1' }, { rating: null }, { rating: 1, comment: '' }])(
    'is good or bad, not %j',
    async (body) => {
      expect(await rate(body)).toMatchObject({ status: 400 });
    },
  );

  it('requires a visible job', async () => {
    const { api: stranger } = await platform.member(tenant, 'Carl', ['ai-jobs:read', 'ai-jobs:write']);
    expect(await rate({ rating: 1 }, stranger)).toMatchObject({ status: 404 });
    const { api: other } = await platform.tenant();
    expect(await rate({ rating: 1 }, other)).toMatchObject({ status: 404 });
    const reader = await platform.key(tenant, ['ai-jobs:read', 'ai-jobs:read-all']);
    expect(await rate({ rating: 1 }, reader)).toMatchObject({ status: 403 });
    expect(await shown()).toEqual([]);
  });

  it('does not include its texts in audit log and events', async () => {
    await rate({ rating: -1, comment: 'Secret comment', correctedOutput: 'Secret output' });
    await rate({ rating: 1, comment: 'Secret comment 2' });
    const admin = adminPool(platform.database.adminUrl, 1);
    const { rows } = await admin.query<{ text: string }>(
      `select ${AUDITED} as text from data.audit_log where tenant_id = $1 and action = 'ai.feedback.given'
       union all select envelope from data.events where tenant_id = $1 and type = 'ai.feedback.given'`,
      [tenant.id],
    );
    await admin.end();
    expect(rows).toHaveLength(4);
    for (const { text } of rows) expect(text).not.toContain('Secret');
  });
});
