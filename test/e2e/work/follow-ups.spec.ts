import type { INestApplicationContext } from '@nestjs/common';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import type { TestTenant } from '../../harness/platform.js';
import { exhaust } from '../../worker/automation-stage.js';
import { Stage } from '../../worker/stage.js';
import { act as actOnDeal, makeDeal } from '../sales/deal-calls.js';
import { act, idsOf, makeProject, makeTask, readTask, TASKS } from './work-calls.js';

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

async function pass(): Promise<void> {
  await worker.get(EventRelay).pass();
  await exhaust(worker);
}

describe('a task that follows up a deal', () => {
  it('is cancelled when the deal is lost', async () => {
    const { api } = tenant;
    const [deal, other] = [await makeDeal(api), await makeDeal(api)];
    const relatedTo = { object: 'sales.deal', id: deal.id };
    const { id: projectId } = await makeProject(api);
    const [open, inProject, done] = [
      await makeTask(api, { relatedTo, dueDate: '2099-01-04' }),
      await makeTask(api, { relatedTo, projectId, state: 'in_review' }),
      await makeTask(api, { relatedTo }),
    ];
    const unrelated = await makeTask(api, { relatedTo: { ...relatedTo, id: other.id } });
    await act(api, `${TASKS}/${done.id}`, 'complete');
    expect((await idsOf(api, `${TASKS}?relatedId=${deal.id}`)).sort()).toEqual([open.id, inProject.id, done.id].sort());
    await actOnDeal(api, deal.id, 'lose', { lostReason: 'price' });
    await pass();
    for (const { id } of [open, inProject])
      expect(await readTask(api, id)).toMatchObject({ state: 'cancelled', updatedBy: { type: 'automation' } });
    expect(await readTask(api, done.id)).toMatchObject({ state: 'done' });
    expect(await readTask(api, unrelated.id)).toMatchObject({ state: 'backlog' });
  });

  it('stays open if the deal has been reopened', async () => {
    const { api } = tenant;
    const deal = await makeDeal(api);
    const { id } = await makeTask(api, { relatedTo: { object: 'sales.deal', id: deal.id } });
    await actOnDeal(api, deal.id, 'lose', { lostReason: 'price' });
    await actOnDeal(api, deal.id, 'reopen', { reason: 'by mistake' });
    await pass();
    expect(await readTask(api, id)).toMatchObject({ state: 'backlog' });
  });

  it('requires a record that the caller can see', async () => {
    const { api } = tenant;
    const deal = await makeDeal(api);
    const relatedTo = { object: 'sales.deal', id: deal.id };
    const refused = { status: 400, body: { errors: [{ pointer: '/relatedTo', code: 'unknown_reference' }] } };
    const writer = await stage.platform.key(tenant, ['tasks:*']);
    const { id } = await makeTask(api);
    expect(await writer.post(TASKS, { name: 'x', relatedTo })).toMatchObject(refused);
    expect(await writer.patch(`${TASKS}/${id}`, { relatedTo })).toMatchObject(refused);
    expect(await api.post(TASKS, { name: 'x', relatedTo: { ...relatedTo, object: 'no.type' } })).toMatchObject(refused);
    expect(await api.patch(`${TASKS}/${id}`, { relatedTo })).toMatchObject({ status: 200, body: { relatedTo } });
    expect(await writer.patch(`${TASKS}/${id}`, { relatedTo: null })).toMatchObject({ body: { relatedTo: null } });
  });
});
