import type { Answer } from './flight.js';
import { GatheredFlights } from './gathered-flights.js';
import type { Statement } from '../statement.js';

/** Records which statements are sent together. Each statement returns its own text. */
function gathered() {
  const sent: string[][] = [];
  const flights = new GatheredFlights((statements) => {
    sent.push(statements.map(({ text, values }) => [text, ...values].join(' ')));
    return Promise.resolve(statements.map(({ text }): Answer => ({ rows: [{ text }], count: 1 })));
  });
  return { sent, flights };
}

const enter = (...values: string[]): Statement => ({ text: 'enter', values });
const read = (text: string): Statement => ({ text, values: [] });

it('names a tenant once for reads in a row that go by the same facts', async () => {
  const { sent, flights } = gathered();
  const asked = [
    flights.row(enter('a', '1'), read('one')),
    flights.row(enter('a', '1'), read('two')),
    flights.row(enter('a', '2'), read('three')),
    flights.row(enter('b', '2'), read('four')),
    flights.row(enter('a', '1'), read('five')),
  ];
  const answers = await Promise.all(asked);
  expect(sent).toEqual([['enter a 1', 'one', 'two', 'enter a 2', 'three', 'enter b 2', 'four', 'enter a 1', 'five']]);
  expect(answers.map(({ rows }) => rows[0]!['text'])).toEqual(['one', 'two', 'three', 'four', 'five']);
});

it('sends lists of one tenant together and rows of whatever tenant, eight at most', async () => {
  const { sent, flights } = gathered();
  const lists = Array.from({ length: 9 }, (_, i) => flights.list('a', enter('a'), read(`list ${i}`)));
  const foreign = flights.list('b', enter('b'), read('foreign list'));
  const rows = [flights.row(enter('a'), read('row a')), flights.row(enter('b'), read('row b'))];
  await Promise.all([...lists, foreign, ...rows]);
  expect(sent).toEqual([
    ['enter a', ...Array.from({ length: 8 }, (_, i) => `list ${i}`)],
    ['enter a', 'list 8'],
    ['enter b', 'foreign list'],
    ['enter a', 'row a', 'enter b', 'row b'],
  ]);
});

it('sends what units of work write one after the other, and alone again when one of them fails', async () => {
  const sent: string[] = [];
  const flights = new GatheredFlights((statements) => {
    sent.push(statements.map(({ text }) => text).join(' '));
    if (statements.some(({ text }) => text === 'bad')) return Promise.reject(new Error('refused'));
    return Promise.resolve(statements.map((): Answer => ({ rows: [], count: 1 })));
  });
  const units = [['a', 'b'], ['c', 'bad'], ['d']];
  const outcomes = await Promise.allSettled(units.map((unit) => flights.write('a', enter('a'), unit.map(read))));
  await flights.write('a', enter('a'), [read('e'), read('f')]);
  expect(sent).toEqual(['enter a b c bad d', 'enter a b', 'enter c bad', 'enter d', 'enter e f']);
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true]);
});
