import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { eventsOf } from '../../harness/written.js';
import { approvalOf, dealOf, decide, DEALS, park, setGate } from './approval-calls.js';

/** Concurrent decisions: the first one wins, and nothing happens twice. */
const ROUNDS = 5;

let platform: TestPlatform;
let tenant: TestTenant;
let people: { id: string; api: TestTenant['api'] }[];
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  people = await Promise.all(['Ada', 'Bob', 'Eve', 'Kim', 'Lee'].map((name) => platform.member(tenant, name)));
});
afterAll(() => platform.close());

const wins = async (dealId: string) =>
  (await eventsOf(platform, tenant, dealId)).filter(({ type }) => type === 'sales.deal.won').length;
const rounds = async (work: () => Promise<void>) => {
  for (let round = 0; round < ROUNDS; round++) await work();
};

test('several concurrent last approvals execute the action once', async () => {
  await setGate(tenant, { quorum: 2 });
  await rounds(async () => {
    const waiting = await park(tenant.api);
    const answers = await Promise.all(people.map(({ api }) => decide(api, waiting, 'approve')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409]);
    const approval = await approvalOf(tenant.api, waiting);
    expect(approval).toMatchObject({ status: 'executed', version: 4 });
    expect(approval.decisions).toHaveLength(2);
    expect(await wins(waiting.record.id)).toBe(1);
  });
});

test('one person with several keys counts once', async () => {
  await setGate(tenant, { quorum: 3 });
  const [first] = people;
  const keys = await Promise.all([1, 2, 3].map(() => platform.key(tenant, ['*'], { memberId: first!.id })));
  const waiting = await park(tenant.api);
  const answers = await Promise.all([first!.api, ...keys].map((api) => decide(api, waiting, 'approve')));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect((await approvalOf(tenant.api, waiting)).decisions).toHaveLength(1);
});

test.each(['cancel', 'reject'] as const)('of concurrent approve and %s one succeeds', async (end) => {
  await setGate(tenant);
  const seen = new Set<string>();
  await rounds(async () => {
    const waiting = await park(tenant.api);
    const [one, other] = people;
    const ender = end === 'cancel' ? tenant.api : other!.api;
    const answers = await Promise.all([decide(one!.api, waiting, 'approve'), decide(ender, waiting, end)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { status } = await approvalOf(tenant.api, waiting);
    seen.add(status);
    expect(await wins(waiting.record.id)).toBe(status === 'executed' ? 1 : 0);
    expect((await dealOf(tenant.api, waiting)).status).toBe(status === 'executed' ? 'won' : 'open');
  });
  for (const status of seen) expect(['executed', end === 'cancel' ? 'cancelled' : 'rejected']).toContain(status);
});

test('of approving and changing the record, either the change or the action fails', async () => {
  await setGate(tenant);
  await rounds(async () => {
    const waiting = await park(tenant.api);
    const path = `${DEALS}/${waiting.record.id}`;
    const [approved, changed] = await Promise.all([
      decide(people[0]!.api, waiting, 'approve'),
      tenant.api.patch(path, { value: 5 }, { 'if-match': '"1"' }),
    ]);
    expect(approved.status).toBe(200);
    const outcome = [approved.body.status, changed.status].join(' ');
    expect(['executed 412', 'failed 200']).toContain(outcome);
    expect(await wins(waiting.record.id)).toBe(outcome === 'executed 412' ? 1 : 0);
  });
});

test('approving during a further request ends without a deadlock and with one effect', async () => {
  await setGate(tenant);
  await rounds(async () => {
    const waiting = await park(tenant.api);
    const path = `${DEALS}/${waiting.record.id}/win`;
    const again = [1, 2, 3].map(() => tenant.api.post(path));
    const [approved, ...asked] = await Promise.all([decide(people[1]!.api, waiting, 'approve'), ...again]);
    expect(approved.status).toBe(200);
    for (const { status } of asked) expect(status).toBe(409);
    expect(await wins(waiting.record.id)).toBe(1);
  });
});
