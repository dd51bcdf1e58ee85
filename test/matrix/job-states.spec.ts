import { aiJobLifecycle } from '#src/areas/ai/jobs/job.lifecycle.js';
import type { Client } from '../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../harness/platform.js';
import { adminPool } from '../harness/database.js';
import { act, FAILED, jobOf, makeJob, move, parkJob, setPolicy } from '../e2e/ai/job-calls.js';

/**
 * The state matrix of AI jobs, most of whose states only a worker can reach. Every action of a caller and every
 * transition of the platform is tried in every state and must match the tables below.
 */
let platform: TestPlatform;
let tenant: TestTenant;
let approver: Client;
let admin: ReturnType<typeof adminPool>;
beforeAll(async () => {
  platform = await startPlatform({ env: { AI_LOCAL_PRICE_MICROS_PER_1K: '1000' } });
  admin = adminPool(platform.database.adminUrl, 1);
  tenant = await platform.tenant();
  approver = (await platform.member(tenant, 'Ada')).api;
  await setPolicy(tenant, { ratePerMinute: 10_000 });
});
afterAll(async () => {
  await admin.end();
  await platform.close();
});

type Step = (id: string) => Promise<unknown>;
const by =
  (action: Parameters<typeof move>[3], changes: object = {}): Step =>
  (id) =>
    move(platform, tenant, id, action, changes);
const OUTPUT = { output: { text: 'Done.', json: null } };

/** How a job reaches each state: whether it waits for approval first, and what happens then. */
const WAYS: Record<string, { parked?: true; steps: Step[] }> = {
  queued: { steps: [] },
  awaiting_approval: { parked: true, steps: [] },
  approved: { parked: true, steps: [(id) => act(approver, id, 'approve')] },
  running: { steps: [by('start')] },
  awaiting_review: { steps: [by('start'), by('request_review', { ...OUTPUT, proposedActions: [] })] },
  succeeded: { steps: [by('start'), by('succeed', OUTPUT)] },
  failed: { steps: [by('start'), by('fail', FAILED)] },
  rejected: { parked: true, steps: [(id) => act(approver, id, 'reject')] },
  expired: { steps: [by('expire')] },
  over_cost_cap: { steps: [by('start'), by('cap_reached', FAILED)] },
  cancelled: { steps: [(id) => act(tenant.api, id, 'cancel')] },
};

/** From, to and event of each action. */
const BY_CALLERS: Record<string, { from: string[]; to: string; event: string }> = {
  approve: { from: ['awaiting_approval'], to: 'approved', event: 'approved' },
  reject: { from: ['awaiting_approval'], to: 'rejected', event: 'rejected' },
  cancel: {
    from: ['queued', 'awaiting_approval', 'approved', 'running', 'awaiting_review'],
    to: 'cancelled',
    event: 'cancelled',
  },
  retry: { from: ['failed', 'over_cost_cap', 'expired'], to: 'queued', event: 'queued' },
  review: { from: ['awaiting_review'], to: 'succeeded', event: 'reviewed' },
};
const BY_PLATFORM: Record<string, { from: string[]; to: string; event: string; changes?: object }> = {
  expire: { from: ['queued', 'awaiting_approval', 'approved'], to: 'expired', event: 'expired' },
  start: { from: ['queued', 'approved'], to: 'running', event: 'started' },
  succeed: { from: ['running'], to: 'succeeded', event: 'succeeded', changes: OUTPUT },
  request_review: { from: ['running'], to: 'awaiting_review', event: 'review_requested', changes: OUTPUT },
  fail: { from: ['queued', 'approved', 'running'], to: 'failed', event: 'failed', changes: FAILED },
  cap_reached: {
    from: ['queued', 'approved', 'running'],
    to: 'over_cost_cap',
    event: 'cost_cap_reached',
    changes: FAILED,
  },
};

async function jobIn(state: string): Promise<string> {
  const { parked, steps } = WAYS[state]!;
  const { id } = await (parked ? parkJob(tenant.api) : makeJob(tenant.api));
  for (const step of steps) await step(id);
  expect((await jobOf(tenant.api, id)).status).toBe(state);
  return id;
}

const rowOf = async (id: string): Promise<Record<string, unknown>> => {
  const { rows } = await admin.query<Record<string, unknown>>('select * from data.ai_jobs where id = $1', [id]);
  return rows[0]!;
};
const eventsOf = async (id: string): Promise<string[]> => {
  const { rows } = await admin.query<{ type: string }>(
    'select type from data.events where subject_id = $1 order by id',
    [id],
  );
  return rows.map(({ type }) => type.replace('intelligence.job.', ''));
};
const heldFor = async (id: string): Promise<number> => {
  const { rows } = await admin.query<{ held: string }>(
    'select coalesce(sum(held_micros), 0) as held from data.ai_reservations where job_id = $1',
    [id],
  );
  return Number(rows[0]!.held);
};

/** Who performs each action, and through which interface. */
const callerOf = (action: string): Client => (['approve', 'reject', 'review'].includes(action) ? approver : tenant.api);

test('the tables cover every state and every transition', () => {
  const made = ['require_approval']; // on creation, leads to `awaiting_approval`
  expect(Object.keys(WAYS).sort()).toEqual([...aiJobLifecycle.states].sort());
  expect([...Object.keys(BY_CALLERS), ...Object.keys(BY_PLATFORM), ...made].sort()).toEqual(
    Object.keys(aiJobLifecycle.transitions).sort(),
  );
});

describe.each(Object.keys(WAYS))('a job that is %s', (state) => {
  test.each(Object.keys(BY_CALLERS))('%s', async (action) => {
    const { from, to, event } = BY_CALLERS[action]!;
    const id = await jobIn(state);
    const [row, events] = [await rowOf(id), await eventsOf(id)];
    const answer = await act(callerOf(action), id, action);
    if (from.includes(state)) {
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200, body: { id, status: to } });
      expect(await eventsOf(id)).toEqual([...events, event]);
      expect((await jobOf(tenant.api, id)).status).toBe(to);
    } else {
      expect(answer).toMatchObject({ status: 409, body: { code: 'invalid_transition', state, action } });
      expect(await rowOf(id)).toEqual(row);
      expect(await eventsOf(id)).toEqual(events);
    }
  });

  test.each(Object.keys(BY_PLATFORM))('%s, by the platform', async (action) => {
    const { from, to, event, changes = {} } = BY_PLATFORM[action]!;
    const id = await jobIn(state);
    const [row, events] = [await rowOf(id), await eventsOf(id)];
    const done = move(platform, tenant, id, action as never, changes);
    if (from.includes(state)) {
      await done;
      expect((await jobOf(tenant.api, id)).status).toBe(to);
      expect(await eventsOf(id)).toEqual([...events, event]);
    } else {
      await expect(done).rejects.toMatchObject({ code: 'invalid_transition' });
      expect(await rowOf(id)).toEqual(row);
    }
  });

  test('reserves money only while it can still be spent', async () => {
    const id = await jobIn(state);
    const { reserved_cost_micros: reserved } = await rowOf(id);
    const isOpen = ['queued', 'awaiting_approval', 'approved', 'running'].includes(state);
    // A running job is released by its worker once its calls are settled.
    const isWithWorker = WAYS[state]!.steps.length > 1;
    if (!isWithWorker) expect(await heldFor(id)).toBe(isOpen ? Number(reserved) : 0);
    expect(Number(reserved)).toBeGreaterThan(0);
  });
});

test.each(Object.entries(BY_CALLERS).flatMap(([action, { from }]) => from.map((state) => [action, state] as const)))(
  '%s has one effect on a job that is %s with eight concurrent requests',
  async (action, state) => {
    const id = await jobIn(state);
    const events = await eventsOf(id);
    const answers = await Promise.all(Array.from({ length: 8 }, () => act(callerOf(action), id, action)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(7).fill(409)]);
    expect(await eventsOf(id)).toEqual([...events, BY_CALLERS[action]!.event]);
  },
);

test('no route triggers the transitions of the platform', async () => {
  const id = await jobIn('queued');
  for (const action of ['expire', 'start', 'succeed', 'fail', 'cap-reached', 'require-approval', 'request-review'])
    expect((await act(tenant.api, id, action)).status).toBe(404);
});
