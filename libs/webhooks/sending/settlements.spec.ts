import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { AttemptCounts } from './attempt-counts.js';
import type { DeliveryRepository } from '../leases/delivery.repository.js';
import type { SettledAttempt } from '../leases/leased-delivery.js';
import { Settlements } from './settlements.js';

const attempt = (id: string) => ({ delivery: { id } }) as SettledAttempt;

/** Settlements over a database that cannot store results named `bad`. */
function setUp() {
  const flights: string[][] = [];
  const counted: string[] = [];
  const settle = async (attempts: readonly SettledAttempt[], onSent: () => void) => {
    const ids = attempts.map(({ delivery }) => delivery.id);
    await Promise.resolve(); // for a connection
    flights.push(ids);
    onSent();
    if (ids.includes('bad')) throw new Error('cannot be stored');
    return ids.length;
  };
  const repository = { settle } as unknown as DeliveryRepository; // the one method that is called
  const counts = {
    add: (attempts: readonly SettledAttempt[]) => counted.push(...attempts.map(({ delivery }) => delivery.id)),
  } as unknown as AttemptCounts; // so is this
  return { settlements: new Settlements(repository, counts), flights, counted };
}

it('writes what comes at once together, and what comes meanwhile next', async () => {
  const { settlements, flights, counted } = setUp();
  const first = [settlements.add(attempt('a')), settlements.add(attempt('b'))];
  await first[0];
  await Promise.all([...first, settlements.add(attempt('c'))]);
  expect(flights).toEqual([['a', 'b'], ['c']]);
  expect(counted).toEqual(['a', 'b', 'c']);
});

it('says when a result is on its way, before it is written', async () => {
  const { settlements, flights } = setUp();
  const said: string[] = [];
  const all = ['a', 'b'].map((id) =>
    settlements
      .add(attempt(id), () => said.push(`${id} sent with ${flights.length} on the way`))
      .then(() => said.push(`${id} written`)),
  );
  expect(said).toEqual([]);
  await Promise.all(all);
  expect(said).toEqual(['a sent with 1 on the way', 'b sent with 1 on the way', 'a written', 'b written']);
});

it('gathers results for a moment when there were many, and lets few of them go at once', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const { settlements, flights } = setUp();
  const ids = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name}${index}`);
  const addAll = (names: readonly string[]) => names.map((id) => settlements.add(attempt(id)));
  const turns = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  await Promise.all(addAll(ids(32, 'many')));
  const gathered = addAll(['a']);
  await turns();
  gathered.push(...addAll(['b']));
  expect(flights).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(5);
  await Promise.all(gathered);
  await Promise.all([addAll(['c']), turns()].flat());
  await Promise.all(addAll(['d']));
  expect(flights.slice(1)).toEqual([['a', 'b'], ['c'], ['d']]);
  jest.useRealTimers();
});

it('does not let one result that cannot be written take the others with it', async () => {
  const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  const { settlements, flights, counted } = setUp();
  await Promise.all(['a', 'bad', 'b'].map((id) => settlements.add(attempt(id))));
  expect(flights).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
  expect(counted).toEqual(['a', 'b']);
  expect(logged).toHaveBeenCalledTimes(1);
  logged.mockRestore();
});
