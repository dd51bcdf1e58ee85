import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
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

test('an outage of the database is two lines of a worker: one when it begins, one when it is over', async () => {
  const worker = await stage.worker();
  const lines: string[] = [];
  const spies = (['error', 'warn'] as const).map((level) =>
    jest.spyOn(Logger.prototype, level).mockImplementation((line: unknown) => void lines.push(String(line))),
  );
  const failures = jest.spyOn(worker.get(Database), 'problemOf');
  const allow = (connections: number) =>
    stage.sql(
      `do $$ begin execute format('alter database %I connection limit ${connections}', current_database()); end $$`,
    );
  try {
    await allow(0);
    await stage.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = $1`,
      [new URL(stage.platform.database.systemUrl).username],
    );
    await until(() => failures.mock.calls.length > 40); // every loop, both queues and the lock have failed
    await allow(-1);
    await until(() => lines.some((line) => line.includes('answers again')));
    expect(lines).toEqual([
      expect.stringMatching(/^The database is unreachable: /),
      expect.stringMatching(/^The database answers again, after \d+ s and \d+ failures$/),
    ]);
  } finally {
    for (const spy of [failures, ...spies]) spy.mockRestore();
  }
});
