import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { redisAvailable, RedisServer } from '#libs/testing/redis-server.js';
import { until } from '#libs/testing/until.js';
import type { QueueJob } from './consumer.js';
import { PostgresQueueStore } from './postgres-queue-store.js';
import { migrateQueueSchema } from './queue-schema.js';
import type { QueueStore } from './queue-store.js';
import { logErrors, Queues, type QueuesOptions } from './queues.js';
import { RedisQueueStore } from './redis-queue-store.js';

interface Payload {
  number: number;
}

/** A kind of server to store queues in. */
interface Backend {
  store(): QueueStore;
  /** Closes all connections to it. */
  cutConnections(): Promise<void>;
  /** Makes it unusable until the returned function is called. */
  takeAway(): Promise<() => Promise<void>>;
  dispose(): Promise<void>;
}

const NAMES = [
  'arrives',
  'shared',
  'died',
  'graceful',
  'stuck',
  'cut',
  'opening',
  'absent',
  'failing',
  'same-id',
  'counted',
];

async function postgres(): Promise<Backend> {
  const adminUrl = process.env['TEST_ADMIN_URL']!;
  const name = `queues_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.query(`create role ${name} login password 'secret' noinherit`);
  await admin.query(`revoke temporary on database ${name} from public`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  await migrateQueueSchema(url.href, 'queue', name, NAMES);
  const roleUrl = new URL(url);
  [roleUrl.username, roleUrl.password] = [name, 'secret'];
  const cutConnections = async (): Promise<void> => {
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [name]);
  };
  return {
    store: () => new PostgresQueueStore(roleUrl.href, 'queue'),
    cutConnections,
    async takeAway() {
      await admin.query(`alter role ${name} nologin`);
      await cutConnections();
      return async () => void (await admin.query(`alter role ${name} login`));
    },
    async dispose() {
      await admin.query(`drop database ${name} with (force)`);
      await admin.query(`drop role ${name}`);
      await admin.end();
    },
  };
}

async function redis(cluster: boolean): Promise<Backend> {
  const server = await RedisServer.start({ cluster });
  return {
    store: () => new RedisQueueStore(server.url),
    cutConnections: async () => void (await server.command('CLIENT KILL TYPE normal')),
    async takeAway() {
      await server.kill();
      return () => server.start();
    },
    dispose: () => server.dispose(),
  };
}

const withRedis = redisAvailable() ? describe : describe.skip;

describe('Queues on PostgreSQL', () => behaves(postgres));
withRedis('Queues on Redis', () => behaves(() => redis(false)));
withRedis('Queues on a Redis cluster', () => behaves(() => redis(true)));

test('a reason is logged once for all queues, and again only after a minute without it', () => {
  const lines = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  try {
    const report = logErrors();
    const at = (seconds: number, queue: string, reason: string) => {
      clock.mockReturnValue(seconds * 1_000);
      report(queue, new Error(reason));
    };
    for (let seconds = 0; seconds < 300; seconds += 10) for (const queue of ['a', 'b']) at(seconds, queue, 'refused');
    at(301, 'b', 'no memory');
    at(349, 'a', 'refused');
    at(409, 'a', 'refused');
    expect(lines.mock.calls.map(([line]) => String(line).split('. ')[0])).toEqual([
      'Queue a: refused',
      'Queue b: no memory',
      'Queue a: refused',
    ]);
  } finally {
    for (const spy of [lines, clock]) spy.mockRestore();
  }
});

function behaves(start: () => Promise<Backend>): void {
  let backend: Backend;
  const open: Queues<string>[] = [];
  const errors: string[] = [];

  function queues(options: QueuesOptions = {}): Queues<string> {
    const made = new Queues<string>(backend.store(), {
      report: (queue, error) => errors.push(`${queue}: ${error.message}`),
      ...options,
    });
    open.push(made);
    return made;
  }

  beforeAll(async () => {
    backend = await start();
  });
  beforeEach(() => errors.splice(0));
  afterEach(() => Promise.all(open.splice(0).map((made) => made.close())));
  afterAll(() => backend.dispose());

  it('bring jobs to a consumer, in order, with their ids', async () => {
    const process = queues();
    await process.queue<Payload>('arrives').add({ id: 'first', data: { number: 1 } });
    await process.queue<Payload>('arrives').addAll([{ data: { number: 2 } }, { data: { number: 3 }, id: 'third' }]);
    const seen: { id: string; data: Payload; atMs: number }[] = [];
    const processor = async (job: QueueJob<Payload>): Promise<void> => void seen.push({ ...job, atMs: Date.now() });
    process.consume('arrives', processor, { concurrency: 1 });
    await until(() => seen.length === 3);
    expect(seen.map(({ data }) => data.number)).toEqual([1, 2, 3]);
    expect([seen[0]!.id, seen[2]!.id]).toEqual(['first', 'third']);
    // An idle consumer is woken up. Delayed jobs arrive too, but not early.
    const added = Date.now();
    await process.queue<Payload>('arrives').addAll([{ data: { number: 5 }, delayMs: 60 }, { data: { number: 4 } }]);
    await until(() => seen.length === 5);
    expect(seen.find(({ data }) => data.number === 5)!.atMs).toBeGreaterThanOrEqual(added + 60);
    expect(errors).toEqual([]);
  });

  it('give each job to one of several workers, once', async () => {
    const running = new Set<number>();
    const finished: number[] = [];
    const processor = async ({ data }: { data: Payload }): Promise<void> => {
      expect(running.has(data.number)).toBe(false);
      running.add(data.number);
      await new Promise((resolve) => setImmediate(resolve));
      running.delete(data.number);
      finished.push(data.number);
    };
    for (const process of [queues(), queues(), queues()]) process.consume('shared', processor, { concurrency: 10 });
    const numbers = Array.from({ length: 600 }, (_, number) => number);
    await queues()
      .queue<Payload>('shared')
      .addAll(numbers.map((number) => ({ data: { number } })));
    await until(() => finished.length >= 600);
    expect(finished.sort((a, b) => a - b)).toEqual(numbers);
    expect(errors).toEqual([]);
  });

  it('bring a job whose worker died to another one, and do not wait for it meanwhile', async () => {
    const store = backend.store();
    const process = queues({ lockMs: 500, stalledCheckMs: 200 });
    const taken: unknown[] = [];
    for (const [number, lockMs] of [
      [1, 60_000],
      [2, 500],
    ] as const) {
      const never = (job: { data: unknown }): Promise<void> => {
        taken.push(job.data);
        return new Promise(() => undefined);
      };
      const tuning = { concurrency: 1, lockMs, stalledCheckMs: 200 };
      const dying = await store.openWorker('died', never, tuning, () => undefined);
      void dying.run();
      await process.queue<Payload>('died').add({ data: { number } });
      await until(() => taken.length === number);
      await dying.close(true);
    }
    const seen: number[] = [];
    process.consume<Payload>('died', async ({ data }) => void seen.push(data.number), { concurrency: 1 });
    await process.queue<Payload>('died').add({ data: { number: 3 } });
    await until(() => seen.length === 2);
    expect(seen.sort()).toEqual([2, 3]);
    await until(async () => (await process.queue('died').counts()).active === 1);
    await store.close();
  });

  it('finish the running jobs before they close, and leave the others', async () => {
    const process = queues();
    let finish: () => void = () => undefined;
    const events: string[] = [];
    process.consume<Payload>(
      'graceful',
      async ({ data }) => {
        events.push(`started ${data.number}`);
        await new Promise<void>((resolve) => (finish = resolve));
        events.push(`finished ${data.number}`);
      },
      { concurrency: 1 },
    );
    await process.queue<Payload>('graceful').addAll([{ data: { number: 1 } }, { data: { number: 2 } }]);
    await until(() => events.length === 1);
    const closed = process.close().then(() => events.push('closed'));
    setImmediate(() => finish());
    await closed;
    expect(events).toEqual(['started 1', 'finished 1', 'closed']);
    expect(await queues().queue('graceful').counts()).toEqual({ waiting: 1, active: 0, delayed: 0 });
  });

  it('close within their time when a job does not end, having told it so', async () => {
    const process = queues({ drainMs: 50 });
    let told = false;
    process.consume(
      'stuck',
      (_job, signal) => {
        signal.addEventListener('abort', () => (told = true));
        return new Promise(() => undefined);
      },
      { concurrency: 1 },
    );
    await process.queue<Payload>('stuck').add({ data: { number: 1 } });
    await until(async () => (await process.queue('stuck').counts()).active === 1);
    const before = performance.now();
    await process.close();
    expect(performance.now() - before).toBeLessThan(10_000);
    expect(told).toBe(true);
  });

  it('go on after every connection was lost', async () => {
    const process = queues({ lockMs: 1_000, stalledCheckMs: 300 });
    const seen = new Set<number>();
    process.consume<Payload>('cut', async ({ data }) => void seen.add(data.number), { concurrency: 5 });
    const producer = process.queue<Payload>('cut');
    await producer.add({ data: { number: 0 } });
    await until(() => seen.has(0));
    for (let round = 1; round <= 3; round++) {
      await backend.cutConnections();
      await until(() =>
        producer.add({ data: { number: round } }).then(
          () => true,
          () => false,
        ),
      );
      await until(() => seen.has(round));
    }
  });

  it('go on after connections were lost while a worker opened them', async () => {
    for (let cuts = 1; cuts <= 12; cuts++) {
      const process = queues({ lockMs: 1_000, stalledCheckMs: 300 });
      const seen: number[] = [];
      const processor = async ({ data }: QueueJob<Payload>): Promise<void> => void seen.push(data.number);
      await process.consume('opening', processor, { concurrency: 1 }).opened;
      for (let cut = 0; cut < cuts; cut++) await backend.cutConnections();
      await queues()
        .queue<Payload>('opening')
        .add({ data: { number: cuts } });
      await until(() => seen.includes(cuts));
      await process.close();
    }
  });

  it('start without their server and use it when it comes up', async () => {
    const process = queues({ lockMs: 1_000, stalledCheckMs: 300 });
    const early = queues({ lockMs: 1_000, stalledCheckMs: 300 });
    const bringBack = await backend.takeAway();
    const seen: number[] = [];
    early.consume<Payload>('absent', async ({ data }) => void seen.push(data.number), { concurrency: 1 });
    await expect(process.queue<Payload>('absent').add({ data: { number: 1 } })).rejects.toThrow();
    await until(() => errors.length > 0);
    await bringBack();
    await until(() =>
      process
        .queue<Payload>('absent')
        .add({ data: { number: 2 } })
        .then(
          () => true,
          () => false,
        ),
    );
    await until(() => seen.includes(2));
    expect(seen).toEqual([2]);
  });

  it('report a job that fails, do not try it again, and go on', async () => {
    const process = queues();
    const seen: number[] = [];
    process.consume<Payload>(
      'failing',
      async ({ data }) => {
        seen.push(data.number);
        if (data.number === 1) throw new Error('no use');
      },
      { concurrency: 1 },
    );
    await process.queue<Payload>('failing').addAll([{ data: { number: 1 }, id: 'bad' }, { data: { number: 2 } }]);
    await until(() => seen.length === 2 && errors.length === 1);
    expect(errors).toEqual(['failing: no use']);
    await until(async () => (await process.queue('failing').counts()).active === 0);
    // The id is free again, so nothing of the job was kept.
    await process.queue<Payload>('failing').add({ data: { number: 3 }, id: 'bad' });
    await until(() => seen.includes(3));
    expect(seen).toEqual([1, 2, 3]);
  });

  it('drop a job whose id is waiting already', async () => {
    const process = queues();
    const producer = process.queue<Payload>('same-id');
    await producer.add({ id: 'one', data: { number: 1 } });
    await producer.addAll([
      { id: 'one', data: { number: 2 } },
      { id: 'two', data: { number: 3 } },
    ]);
    expect(await producer.counts()).toEqual({ waiting: 2, active: 0, delayed: 0 });
    const seen: number[] = [];
    process.consume<Payload>('same-id', async ({ data }) => void seen.push(data.number), { concurrency: 1 });
    await until(() => seen.length === 2);
    expect(seen).toEqual([1, 3]);
  });
}
