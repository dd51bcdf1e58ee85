import { jest } from '@jest/globals';
import { Metrics } from '#libs/metrics/metrics.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { QueueFigures } from '#libs/webhooks/queue-figures.js';
import { until } from '#libs/testing/until.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

it('the metrics show the lag of relay and queue', async () => {
  const tenant = await stage.platform.tenant();
  const endpoint = await stage.endpoint(tenant, (await stage.receiver()).url);
  const worker = await stage.idleWorker();
  const figures = async () => {
    await worker.get(QueueFigures).read();
    const text = await worker.get(Metrics).registry.metrics();
    const valueOf = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)![1]);
    return ['events_pending_seconds', 'webhook_queue_entries', 'webhook_queue_due_seconds'].map(valueOf);
  };
  await stage.sql(`update data.events set occurred_at = now() - interval '2 minutes'`);
  const [pending, none, idle] = await figures();
  expect(pending).toBeGreaterThanOrEqual(120);
  expect([none, idle]).toEqual([0, 0]);

  await stage.deal(tenant);
  await worker.get(EventRelay).pass();
  await stage.sql(`update data.webhook_queue set due_at = now() - interval '1 minute' where endpoint_id = $1`, [
    endpoint.id,
  ]);
  const [fannedOut, entries, due] = await figures();
  expect([fannedOut, entries]).toEqual([0, 1]);
  expect(due).toBeGreaterThanOrEqual(60);
});

it('the metrics show whether the relay runs and the queue is vacuumed', async () => {
  const worker = await stage.idleWorker();
  const valueOf = async (name: string) =>
    Number(new RegExp(`^${name} (.+)$`, 'm').exec(await worker.get(Metrics).registry.metrics())![1]);
  const asleep = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 31_000);
  expect(await valueOf('events_relay_idle_seconds')).toBeGreaterThan(30);
  await worker.get(EventRelay).pass();
  expect(await valueOf('events_relay_idle_seconds')).toBe(0);
  asleep.mockRestore();

  await stage.sql('vacuum data.webhook_queue');
  await stage.sql('update data.webhook_queue set due_at = due_at');
  await until(async () => {
    await worker.get(QueueFigures).read();
    return (await valueOf('webhook_queue_dead_share')) > 0;
  });
  expect(await valueOf('webhook_queue_dead_rows')).toBeGreaterThanOrEqual(1);
});
