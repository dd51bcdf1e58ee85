// A receiver that counts: answers 204 at once and tells its parent, on request, what has come and when.
import { createServer } from 'node:http';

let count = 0;
let first = null;
let last = null;
let arrivals = null;
let sample = null;
const server = createServer((request, response) => {
  last = performance.timeOrigin + performance.now();
  first ??= last;
  count += 1;
  if (arrivals) arrivals.push([request.headers['webhook-id'], last]);
  if (sample) return void request.resume().on('end', () => response.writeHead(204).end());
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    sample ??= { headers: request.headers, body: Buffer.concat(chunks).toString() };
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
process.on('message', (message) => {
  if (message === 'count') process.send({ count });
  if (message === 'report') process.send({ count, first, last, arrivals, sample });
  if (message === 'reset' || message === 'watch') {
    [count, first, last, arrivals] = [0, null, null, message === 'watch' ? [] : null];
    process.send({ count });
  }
});
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}/hook` }));
