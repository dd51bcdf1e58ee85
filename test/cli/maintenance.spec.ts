import { HOUR_MS } from '#libs/kernel/durations.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { type Operator, operatorOf } from './operator.js';

const WINDOWS = '/api/ops-command/maintenance-windows';

let platform: TestPlatform;
let operator: Operator;
beforeAll(async () => {
  platform = await startPlatform();
  operator = operatorOf(platform.database.settings);
});
afterAll(() => platform.close());

const inHours = (hours: number) => new Date(platform.clock.nowMs() + hours * HOUR_MS).toISOString();
const announce = (from: number, to: number) =>
  ['maintenance', 'announce', '--from', inHours(from), '--to', inHours(to), '--title', 'Upgrade'] as const;
const titles = async (apiKey: string) => {
  const { body } = await platform
    .anonymous()
    .get<{ data: { title: string; scope: string }[] }>(WINDOWS, { 'x-api-key': apiKey });
  return body.data.map(({ title, scope }) => [title, scope]);
};

describe('maintenance', () => {
  test('is shown to all tenants until it is cancelled', async () => {
    const { apiKey } = await operator.tenant();
    const window = await operator.json<{ id: string }>(...announce(2, 3));
    expect(await titles(apiKey)).toEqual([['Upgrade', 'platform']]);
    const list = await operator.json<{ data: { id: string; cancelledAt: null }[] }>('maintenance', 'list');
    expect(list.data).toMatchObject([{ id: window.id, cancelledAt: null }]);
    await operator.json('maintenance', 'cancel', '--id', window.id);
    expect(await titles(apiKey)).toEqual([]);
    const again = await operator.run('maintenance', 'cancel', '--id', window.id);
    expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('could be cancelled') as string });
  });

  test.each([
    ['too soon', 0.5, 2, 'an hour ahead'],
    ['with its end before its start', 3, 2, 'after --from'],
    ['of more than a week', 2, 200, 'at most 7 days'],
  ])('is refused %s', async (_title, from, to, message) => {
    const ended = await operator.run(...announce(from, to));
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) as string });
  });

  test('is on the public status until it ends, without that of tenants', async () => {
    interface Status {
      maintenance: { id: string; startsAt: string }[];
    }
    const onStatus = async () => {
      const { status, body } = await platform.anonymous().get<Status>('/api/public/status');
      expect(status).toBe(200);
      return body.maintenance;
    };
    const tenant = await platform.tenant();
    const own = { startsAt: inHours(2), endsAt: inHours(4), title: 'Migration of Acme' };
    expect((await tenant.api.post(WINDOWS, own)).status).toBe(201);
    const later = await operator.json<{ id: string }>(...announce(5, 6));
    const next = await operator.json<{ id: string; startsAt: string; endsAt: string }>(...announce(2, 3));
    const farAway = await operator.json<{ id: string }>(...announce(91 * 24, 91 * 24 + 1));
    const cancelled = await operator.json<{ id: string }>(...announce(2, 4));
    await operator.json('maintenance', 'cancel', '--id', cancelled.id);
    const shown = await onStatus();
    const { id, startsAt, endsAt } = next;
    expect(shown[0]).toEqual({ id, scope: 'platform', title: 'Upgrade', startsAt, endsAt });
    expect(shown.map((window) => window.id)).toEqual([next.id, later.id]);
    platform.clock.advance(2.5 * HOUR_MS);
    expect((await onStatus()).map((window) => window.id)).toEqual([next.id, later.id]);
    platform.clock.advance(HOUR_MS);
    expect((await onStatus()).map((window) => window.id)).toEqual([later.id]);
    for (const window of [later, farAway]) await operator.json('maintenance', 'cancel', '--id', window.id);
  });
});

describe('tenant set-commitment', () => {
  const set = (slug: string, target: string, metric = 'api.availabilityPercent') =>
    ['tenant', 'set-commitment', '--tenant', slug, '--metric', metric, '--target', target] as const;

  test('replaces the target of the plan', async () => {
    const { slug, apiKey } = await operator.tenant('free');
    expect(await operator.json(...set(slug, '99.95'))).toEqual({
      slug,
      metric: 'api.availabilityPercent',
      target: 99.95,
    });
    const { body } = await platform
      .anonymous()
      .get<{ commitments: object[] }>('/api/admin/compliance/sla-report', { 'x-api-key': apiKey });
    expect(body.commitments).toEqual([{ metric: 'api.availabilityPercent', target: 99.95 }]);
  });

  test.each([
    ['an unknown metric', '99', 'api.p95Ms', '--metric'],
    ['too many decimals', '99.9999', 'api.availabilityPercent', '--target'],
    ['more than everything', '101', 'api.availabilityPercent', '--target'],
  ])('refuses %s', async (_title, target, metric, option) => {
    const ended = await operator.run(...set('acme', target, metric));
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(option) as string });
  });
});
