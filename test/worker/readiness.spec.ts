import { until } from '#libs/testing/until.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

const ready = async () => {
  const { status, body } = await stage.platform.anonymous().get<{ status: string; worker: string }>('/health/ready');
  return [status, body.status, body.worker];
};

test('the API is ready with and without a worker, and reports which', async () => {
  expect(await ready()).toEqual([200, 'degraded', 'down']);
  const [first, second] = [await stage.worker(), await stage.worker()];
  expect(await ready()).toEqual([200, 'ok', 'up']);
  await first.close();
  expect(await ready()).toEqual([200, 'ok', 'up']);
  await second.close();
  await until(async () => (await ready())[2] === 'down');
  expect(await ready()).toEqual([200, 'degraded', 'down']);
});
