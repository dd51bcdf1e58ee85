import type { ShownPrompt } from '#src/areas/ai/prompts/prompt.js';
import type { PromptVersionView } from '#src/areas/ai/prompts/prompt-version.js';
import type { Answer, Client } from '../../harness/client.js';
import { adminPool } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const PROMPTS = '/api/ai/prompts';
const TEMPLATE = 'Answer {{customerName}} politely: {{ question }} ({{customerName}})';

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

async function make(body: object = {}): Promise<ShownPrompt> {
  const answer = await api.post<ShownPrompt>(PROMPTS, { name: 'Reply', key: 'reply', template: TEMPLATE, ...body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

const change = (id: string, patch: object) => api.patch<ShownPrompt>(`${PROMPTS}/${id}`, patch);
const versionsOf = async (id: string) =>
  (await api.get<{ data: PromptVersionView[] }>(`${PROMPTS}/${id}/versions?sort=promptVersion`)).body.data;
const fault = ({ status, body }: Answer<object>) => {
  const { errors } = body as { errors?: { pointer: string; code: string }[] };
  return [status, ...(errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`)];
};

describe('a prompt', () => {
  it('lists its variables and starts with version 1', async () => {
    expect(await make({ commitNote: 'First' })).toMatchObject({
      object: 'ai.prompt',
      key: 'reply',
      promptVersion: 1,
      variables: ['customerName', 'question'],
      commitNote: 'First',
      labels: [],
    });
  });

  it('gets a new version with a new text, and the old one stays unchanged', async () => {
    const { id } = await make({ commitNote: 'First' });
    const { body } = await change(id, { template: 'Hi {{name}}', commitNote: 'Short' });
    expect(body).toMatchObject({ promptVersion: 2, version: 2, variables: ['name'], commitNote: 'Short' });
    await change(id, { template: 'Hello {{name}}' });
    expect(
      (await versionsOf(id)).map(({ promptVersion, template, commitNote }) => [promptVersion, template, commitNote]),
    ).toEqual([
      [1, TEMPLATE, 'First'],
      [2, 'Hi {{name}}', 'Short'],
      [3, 'Hello {{name}}', null],
    ]);
    expect((await api.get(`${PROMPTS}/${id}/versions/2`)).body).toMatchObject({ template: 'Hi {{name}}', jobs: 0 });
    for (const none of ['0', '4', 'x']) expect((await api.get(`${PROMPTS}/${id}/versions/${none}`)).status).toBe(404);
  });

  it('keeps its version when something else changes', async () => {
    const { id } = await make();
    expect((await change(id, { name: 'Other', template: TEMPLATE })).body).toMatchObject({
      promptVersion: 1,
      version: 2,
    });
    expect(fault(await change(id, { commitNote: 'Too late' }))).toEqual([400, '/commitNote not_with_this_change']);
    expect(await versionsOf(id)).toHaveLength(1);
  });

  it('has immutable versions, even for the database administrator', async () => {
    const { id } = await make();
    const admin = adminPool(platform.database.adminUrl, 1);
    for (const attempt of [`update data.ai_prompt_versions set template = 'x'`, 'delete from data.ai_prompt_versions'])
      await expect(admin.query(`${attempt} where prompt_id = $1`, [id])).rejects.toThrow('never change');
    await expect(admin.query(`update data.ai_prompts set template = 'x' where id = $1`, [id])).rejects.toThrow(
      'newest',
    );
    await admin.end();
  });

  it('has labels that can be moved, each on one version', async () => {
    const { id } = await make({ labels: [{ label: 'production', promptVersion: 1 }] });
    const on = (promptVersion: number, label = 'production') => ({ label, promptVersion });
    await change(id, { template: 'Hi', labels: [on(1), on(2, 'staging')] });
    expect((await versionsOf(id)).map(({ labels }) => labels)).toEqual([['production'], ['staging']]);
    await change(id, { labels: [on(2), on(2, 'staging')] });
    expect((await versionsOf(id)).map(({ labels }) => labels)).toEqual([[], ['production', 'staging']]);
    expect(fault(await change(id, { labels: [on(1), on(2)] }))).toEqual([400, '/labels/1/label not_unique']);
    expect(fault(await change(id, { labels: [on(3)] }))).toEqual([400, '/labels/0/promptVersion unknown_reference']);
  });

  it.each(['{{#each a}}', '{{a.b}}', '{{a', '{{ a | b }}', '{{A}}'])(
    'is plain text with variables, not %s',
    async (template) => {
      const refused = await api.post(PROMPTS, { name: 'x', key: 'x', template });
      expect(fault(refused)).toEqual([400, '/template invalid_template']);
    },
  );

  it('has a unique key', async () => {
    const { id } = await make();
    const again = { name: 'Other', key: 'reply', template: 'x' };
    expect(await api.post(PROMPTS, again)).toMatchObject({ status: 409, body: { code: 'duplicate' } });
    await api.delete(`${PROMPTS}/${id}`);
    const { body: other } = await api.post<ShownPrompt>(PROMPTS, again);
    expect(await api.post(`${PROMPTS}/${id}/restore`)).toMatchObject({ status: 409, body: { code: 'duplicate' } });
    await api.delete(`${PROMPTS}/${other.id}`);
    expect(await api.post(`${PROMPTS}/${id}/restore`)).toMatchObject({ status: 200 });
  });

  it('is read with the scope for jobs and written with its own', async () => {
    const { id } = await make();
    const reader = await platform.key(tenant, ['ai-jobs:read']);
    expect(await reader.get(`${PROMPTS}/${id}/versions`)).toMatchObject({ status: 200 });
    expect(await reader.patch(`${PROMPTS}/${id}`, { template: 'x' })).toMatchObject({ status: 403 });
  });
});

describe('a prompt in a job', () => {
  const ask = (template: object) => api.post('/api/ai/jobs', { kind: 'text.generate', template });
  const VALUES = { customerName: 'Acme', question: '{{customerName}} or {{nothing}}?' };
  const sent = async (answer: Answer) => {
    const { body } = await api.get<{ input: object }>(`/api/ai/jobs/${String(answer.body['id'])}`);
    return JSON.stringify(body.input);
  };

  it('has its variables replaced, and values are never treated as templates', async () => {
    await make();
    expect(await sent(await ask({ key: 'reply', variables: VALUES }))).toContain(
      'Answer Acme politely: {{customerName}} or {{nothing}}? (Acme)',
    );
  });

  it('uses the given version, the labelled one, the one in production, or the newest', async () => {
    const { id } = await make({ template: 'Version one' });
    for (const word of ['two', 'three']) await change(id, { template: `Version ${word}` });
    const on = async (choice: object) => /Version (\w+)/.exec(await sent(await ask({ key: 'reply', ...choice })))?.[1];
    expect(await on({})).toBe('three');
    await change(id, {
      labels: [
        { label: 'production', promptVersion: 2 },
        { label: 'old', promptVersion: 1 },
      ],
    });
    expect([await on({}), await on({ label: 'old' }), await on({ version: 3 })]).toEqual(['two', 'one', 'three']);
    expect((await versionsOf(id)).map(({ jobs }) => jobs)).toEqual([1, 1, 2]);
  });

  it('is refused with all failures if it does not fit', async () => {
    await make();
    expect(fault(await ask({ key: 'reply', variables: { customer: 'x', question: [] } }))).toEqual([
      400,
      '/template/variables/customerName missing_variable',
      '/template/variables/customer unknown_variable',
      '/template/variables/question invalid_type',
    ]);
    expect(fault(await ask({ key: 'nothing' }))).toEqual([400, '/template/key unknown_reference']);
    expect(fault(await ask({ key: 'reply', label: 'x' }))).toEqual([400, '/template/label unknown_reference']);
    expect(fault(await ask({ key: 'reply', version: 2 }))).toEqual([400, '/template/version unknown_reference']);
    expect(fault(await ask({ key: 'reply', version: 1, label: 'x' }))).toEqual([
      400,
      '/template/version not_with_label',
    ]);
    expect((await api.get<{ data: object[] }>('/api/ai/jobs')).body.data).toEqual([]);
  });

  it('can be archived but no longer deleted', async () => {
    const { id } = await make();
    expect(await ask({ key: 'reply', variables: VALUES })).toMatchObject({ status: 201 });
    expect(await api.delete(`${PROMPTS}/${id}`)).toMatchObject({ status: 409, body: { code: 'in_use' } });
    expect(await api.post(`${PROMPTS}/${id}/archive`)).toMatchObject({ status: 200 });
    expect(fault(await ask({ key: 'reply', variables: VALUES }))).toEqual([400, '/template/key unknown_reference']);
  });
});
