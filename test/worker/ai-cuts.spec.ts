import { randomInt } from 'node:crypto';
import { PostgresProxy } from '../../bench/faults/postgres-proxy.mjs';
import { until } from '#libs/testing/until.js';
import { Database } from '#libs/database/database.js';
import type { INestApplicationContext } from '@nestjs/common';
import { CrashStage, expectHonest, expectOnce, type Provider } from './ai-crash-stage.js';
import { AiStage } from './ai-stage.js';

/**
 * Messages that PostgreSQL answers: their effect is done, and with the connection cut the worker never learns of it.
 * Only these are counted: the number of others depends on the state of the connection.
 */
const ENDS_FLIGHT = /[SQ]/;
const NEVER = 1_000_000;
/** Runs of the suite alternate between even and odd round trips: a transaction with a call has three. */
const STRIDE = 2;
/** For a run that finds a call in doubt: more than needed until the job ends. */
const FLIGHTS_TO_THE_END = 30;
const FIRST = randomInt(STRIDE);

describe('a worker whose connection to PostgreSQL is cut after any round trip', () => {
  let ai: AiStage;
  let stage: CrashStage;
  let proxy: PostgresProxy;
  let worker: INestApplicationContext;
  beforeAll(async () => {
    ai = await AiStage.open();
    const { systemUrl } = ai.platform.database;
    proxy = await PostgresProxy.start(systemUrl);
    worker = await ai.stage.idleWorker(proxy.urlOf(systemUrl));
    stage = await CrashStage.open(ai, worker);
  });
  afterAll(async () => {
    await ai.close();
    await proxy.close();
  });

  /** Lets the worker go on with new connections. Those that it has opened already stay; idle ones would last 10 s. */
  const reconnect = async () => {
    proxy.disarm();
    await until(() => worker.get(Database).connections.total === proxy.freshConnections);
  };

  /** The round trips to cut after, from an undisturbed run. */
  const flightsOf = async (provider: Provider): Promise<number[]> => {
    await reconnect();
    let passed = '';
    const outcome = await stage.trial(provider, async (id) => {
      void proxy.arm(NEVER);
      await stage.run(id);
      ({ passed } = proxy);
      void proxy.arm(Infinity);
    });
    expectOnce(outcome, 0);
    const flights = Array.from(passed).filter((type) => ENDS_FLIGHT.test(type)).length;
    expect(flights).toBeGreaterThan(60);
    return Array.from({ length: flights }, (_, index) => index + 1).filter((flight) => flight % STRIDE === FIRST);
  };

  /** Runs a job until the connection is cut after a number of round trips. */
  const runUntil = async (flights: number, id: string) => {
    const cut = proxy.arm(flights, ENDS_FLIGHT);
    const run = stage.run(id).catch(() => undefined);
    await Promise.race([cut, run]);
    await reconnect();
    await run;
    await reconnect();
  };

  /** Runs a job until the connection is cut after a number of round trips, and lets it continue. */
  const cutAfter = (flights: number, provider: Provider) => stage.trial(provider, (id) => runUntil(flights, id));

  it('neither loses nor repeats anything: each call is paid for once, each change made once', async () => {
    for (const at of await flightsOf('keyed')) {
      expectOnce(await cutAfter(at, 'keyed'), at);
      expect(await ai.discrepancies()).toEqual([]);
    }
  }, 300_000);

  it('records unknown outcomes as doubtful where the provider supports no keys', async () => {
    let doubtful = 0;
    for (const at of await flightsOf('keyless')) {
      if (expectHonest(await cutAfter(at, 'keyless'))) doubtful++;
      expect(await ai.discrepancies()).toEqual([]);
    }
    expect(doubtful).toBeGreaterThan(0);
  }, 300_000);

  it('makes no other call when it is cut again while recording the doubt', async () => {
    let first = 0;
    for (const at of await flightsOf('keyless'))
      if (first === 0 && expectHonest(await cutAfter(at, 'keyless'))) first = at;
    for (let again = 1 + FIRST; again <= FLIGHTS_TO_THE_END; again += STRIDE) {
      const outcome = await stage.trial('keyless', async (id) => {
        await runUntil(first, id);
        await ai.loseLease(id);
        await runUntil(again, id);
      });
      expect({ again, doubtful: expectHonest(outcome), calls: outcome.calls.length }).toEqual({
        ...{ again, doubtful: true, calls: 1 },
      });
      expect(await ai.discrepancies()).toEqual([]);
    }
  }, 300_000);
});
