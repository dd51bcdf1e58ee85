import type { INestApplicationContext } from '@nestjs/common';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { AutomationWorker } from '#libs/automation/automation-worker.js';
import type { ShownAccount } from '#src/areas/sales/accounts/account.js';
import type { TestTenant } from '../../harness/platform.js';
import { Stage } from '../../worker/stage.js';
import { act, makeDeal } from './deal-calls.js';
import { eventsOf } from '../../harness/written.js';
import { ACCOUNTS, makeAccount } from './sales-calls.js';

let stage: Stage;
let worker: INestApplicationContext;
let tenant: TestTenant;
beforeAll(async () => {
  stage = await Stage.open();
  worker = await stage.idleWorker();
});
afterAll(() => stage.close());
beforeEach(async () => {
  tenant = await stage.platform.tenant();
});

/** Lets the worker process everything that is due. */
async function pass(): Promise<void> {
  await worker.get(EventRelay).pass();
  await worker.get(AutomationWorker).pass();
}

const read = async (id: string) => (await tenant.api.get<ShownAccount>(`${ACCOUNTS}/${id}`)).body;
const typesOf = async (id: string) => (await eventsOf(stage.platform, tenant, id)).map(({ type }) => type);

async function win(accountId: string): Promise<string> {
  const { id } = await makeDeal(tenant.api, { accountId });
  await act(tenant.api, id, 'win');
  return id;
}

describe('an account whose deal is won', () => {
  it('becomes an active customer', async () => {
    const { id } = await makeAccount(tenant.api);
    await win(id);
    await pass();
    expect(await read(id)).toMatchObject({
      lifecycle: 'active',
      roles: ['customer'],
      version: 2,
      updatedBy: { type: 'automation', name: 'sales.account_on_deal_won' },
    });
    expect((await typesOf(id)).at(-1)).toBe('sales.account.activated');
  });

  it('changes once, however many deals are won and however often the event is delivered', async () => {
    const { id } = await makeAccount(tenant.api, { roles: ['vendor'] });
    await win(id);
    await win(id);
    await pass();
    await pass();
    expect(await read(id)).toMatchObject({ lifecycle: 'active', roles: ['vendor', 'customer'], version: 2 });
    expect(await typesOf(id)).toEqual(['sales.account.created', 'sales.account.activated']);
  });

  it('becomes active again after churning', async () => {
    const { id } = await makeAccount(tenant.api, { roles: ['customer'] });
    for (const action of ['activate', 'churn']) await tenant.api.post(`${ACCOUNTS}/${id}/${action}`);
    await win(id);
    await pass();
    expect(await read(id)).toMatchObject({ lifecycle: 'active', roles: ['customer'] });
  });

  it('does not change while it is blocked or archived', async () => {
    const [blocked, archived] = [await makeAccount(tenant.api), await makeAccount(tenant.api)];
    await win(blocked.id);
    await win(archived.id);
    await tenant.api.post(`${ACCOUNTS}/${blocked.id}/block`, { reason: 'disputes' });
    await tenant.api.post(`${ACCOUNTS}/${archived.id}/archive`);
    await pass();
    expect(await read(blocked.id)).toMatchObject({ lifecycle: 'blocked', roles: ['prospect'], version: 2 });
    expect(await read(archived.id)).toMatchObject({ lifecycle: 'prospect', version: 2 });
  });

  it('is the current account of the deal', async () => {
    const [from, into, other] = [
      await makeAccount(tenant.api),
      await makeAccount(tenant.api),
      await makeAccount(tenant.api),
    ];
    await win(from.id);
    await act(tenant.api, await win(other.id), 'reopen', { reason: 'by mistake' });
    await tenant.api.post(`${ACCOUNTS}/${from.id}/merge`, { intoId: into.id });
    await pass();
    expect(await read(into.id)).toMatchObject({ lifecycle: 'active' });
    expect(await read(other.id)).toMatchObject({ lifecycle: 'prospect' });
  });
});
