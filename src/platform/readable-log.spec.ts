import { stripVTControlCharacters } from 'node:util';
import { readable } from './readable-log.js';

const time = new Date(2026, 10, 28, 9, 5, 7).getTime();
const shown = (fields: object): string =>
  stripVTControlCharacters(readable(`${JSON.stringify({ time, name: 'platform-api', ...fields })}\n`));

test('a line of the log is short on a terminal', () => {
  const request = { method: 'GET', route: '/api/v1/sales/deals', status: 200, ms: 12.34, requestId: 'req_1' };
  expect(shown({ level: 30, msg: 'request', ...request })).toBe(
    '09:05:07 api    GET /api/v1/sales/deals 200 in 12 ms req_1\n',
  );
  expect(shown({ level: 40, name: 'platform-worker', context: 'worker', msg: 'The relay works again' })).toBe(
    '09:05:07 worker worker: The relay works again\n',
  );
  expect(shown({ level: 50, context: 'http', msg: 'Error: x', more: ['at y'] })).toBe(
    '09:05:07 api    http: Error: x\nat y\n',
  );
});
