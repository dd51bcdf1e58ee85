import { uuidv7 } from '#libs/kernel/id.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const DEALS = '/api/v1/sales/deals';
const UNKNOWN = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';

let platform: TestPlatform;
let tenant: TestTenant;
let dealId: string;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  dealId = String((await tenant.api.post(DEALS, { name: 'mine' })).body['id']);
});
afterAll(() => platform.close());

/** Every operation with a deal id in its path, with a valid body. */
const CALLS: [method: string, suffix: string, body?: object][] = [
  ['GET', ''],
  ['PATCH', '', { name: 'x' }],
  ['DELETE', ''],
  ['POST', '/move', { stage: 'demo' }],
  ['POST', '/change-pipeline', { pipelineId: UNKNOWN }],
  ['POST', '/win', {}],
  ['POST', '/lose', { lostReason: 'price' }],
  ['POST', '/reopen', { reason: 'x' }],
  ['POST', '/archive'],
  ['POST', '/unarchive'],
  ['POST', '/restore'],
];

describe.each(CALLS)('%s /api/v1/sales/deals/{id}%s', (method, suffix, body) => {
  it.each([
    'x',
    '0',
    '019AA5F4-9A52-7C31-8C1E-0C9A4A3F1B20',
    '019aa5f49a527c318c1e0c9a4a3f1b20',
    '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20%00',
    '%20',
    '..%2f..%2fhealth',
    "1'%20or%20'1'='1",
    '00000000-0000-0000-0000-000000000000',
    'null',
    '%F0%9F%98%80',
  ])('returns 400 for the malformed id %s', async (id) => {
    const answer = await tenant.api.send(method, `${DEALS}/${id}${suffix}`, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ parameter: 'id', code: 'invalid_id' }] });
  });

  it('returns the same 404 for an unknown id and the id of another tenant', async () => {
    const stranger = await platform.tenant();
    const unknown = await stranger.api.send(method, `${DEALS}/${uuidv7()}${suffix}`, body);
    const foreign = await stranger.api.send(method, `${DEALS}/${dealId}${suffix}`, body);
    expect([unknown.status, foreign.status]).toEqual([404, 404]);
    const comparable = ({ text, body: problem }: typeof unknown) =>
      text.replaceAll(String(problem['requestId']), 'req');
    expect(comparable(foreign)).toBe(comparable(unknown));
    expect(foreign.body).toMatchObject({ code: 'not_found' });
    expect((await tenant.api.get(`${DEALS}/${dealId}`)).body).toMatchObject({
      name: 'mine',
      version: 1,
      status: 'open',
    });
  });
});

describe('ids of other records in bodies', () => {
  it('that are unknown or of another tenant get the same refusal', async () => {
    const stranger = await platform.tenant();
    const foreignPipeline = (await tenant.api.get<{ data: { id: string }[] }>('/api/v1/sales/pipelines')).body.data[0]!
      .id;
    for (const [field, foreign] of [
      ['pipelineId', foreignPipeline],
      ['renewalOfDealId', dealId],
    ] as const) {
      const answers = await Promise.all(
        [UNKNOWN, foreign].map((id) => stranger.api.post(DEALS, { name: 'x', [field]: id })),
      );
      for (const { status, body } of answers) {
        expect(status).toBe(400);
        expect(body).toMatchObject({
          code: 'validation_failed',
          errors: [{ pointer: `/${field}`, code: 'unknown_reference' }],
        });
      }
      expect(answers[0]!.body['errors']).toEqual(answers[1]!.body['errors']);
    }
    expect((await stranger.api.get<{ data: object[] }>(DEALS)).body.data).toEqual([]);
  });
});

describe('new ids', () => {
  it('are lower-case UUIDs of version 7 that increase over time', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(String((await tenant.api.post(DEALS, { name: `${i}` })).body['id']));
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids.toSorted()).toEqual(ids);
  });
});
