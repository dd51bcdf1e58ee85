import { DAY_MS } from '#libs/kernel/durations.js';
import { exhaust } from '../../worker/automation-stage.js';
import { eventsOf } from '../../harness/written.js';
import { act, makeProject, makeTask, readTask, TASKS } from './work-calls.js';
import { Stage } from '../../worker/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

const day = (offset: number) => new Date(stage.platform.clock.nowMs() + offset * DAY_MS).toISOString().slice(0, 10);

it('reports an open task as overdue once, the day after, and again after its date was moved', async () => {
  const tenant = await stage.platform.tenant();
  const { api } = tenant;
  const worker = await stage.idleWorker();
  const { id: projectId } = await makeProject(api, { visibility: 'private' });
  const make = () => makeTask(api, { projectId, dueDate: day(1) });
  const [late, done, moved, gone] = [await make(), await make(), await make(), await make()];
  await act(api, `${TASKS}/${done.id}`, 'complete');
  await api.patch(`${TASKS}/${moved.id}`, { dueDate: day(5) });
  await api.delete(`${TASKS}/${gone.id}`);
  const overdue = async (id: string) =>
    (await eventsOf(stage.platform, tenant, id)).filter(({ type }) => type === 'work.task.overdue');

  stage.platform.clock.advance(DAY_MS);
  await exhaust(worker);
  expect(await overdue(late.id)).toEqual([]);
  stage.platform.clock.advance(DAY_MS);
  await exhaust(worker);
  await exhaust(worker);
  expect(await overdue(late.id)).toMatchObject([{ actor: { type: 'automation' }, data: { isOverdue: true } }]);
  for (const { id } of [done, moved, gone]) expect(await overdue(id)).toEqual([]);
  expect((await readTask(api, late.id)).overdueAt).not.toBeNull();

  await api.patch(`${TASKS}/${late.id}`, { dueDate: day(1) });
  expect((await readTask(api, late.id)).overdueAt).toBeNull();
  stage.platform.clock.advance(2 * DAY_MS);
  await exhaust(worker);
  expect(await overdue(late.id)).toHaveLength(2);
});
