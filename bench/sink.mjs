// A counting receiver: responds with 204 immediately and reports arrivals to its parent on request. It parses only the
// subset of HTTP/1.1 that undici sends (a length for each body), so that its CPU cost is small compared with the
// senders.
import { createServer } from 'node:net';

const HEAD_END = '\r\n\r\n';
const ANSWER = Buffer.from(
  ['HTTP/1.1 204 No Content', 'Date: Thu, 01 Jan 1970 00:00:00 GMT', 'Connection: keep-alive', 'Keep-Alive: timeout=60']
    .join('\r\n')
    .concat(HEAD_END),
);
let count = 0;
let first = null;
let last = null;
let arrivals = null;
let sample = null;

const server = createServer({ noDelay: true }, (socket) => {
  let rest = null;
  socket.on('error', () => undefined); // a killed worker
  socket.on('data', (chunk) => {
    let bytes = rest === null ? chunk : Buffer.concat([rest, chunk]);
    for (let size = take(bytes); size > 0; size = take(bytes)) {
      socket.write(ANSWER);
      bytes = bytes.subarray(size);
    }
    rest = bytes.length > 0 ? bytes : null;
  });
});

/** Records the request at the start of the bytes; returns its length, 0 while it is incomplete. */
function take(bytes) {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return 0;
  const head = bytes.latin1Slice(0, headEnd);
  const bodyStart = headEnd + HEAD_END.length;
  const size = bodyStart + Number(valueOf(head, 'content-length'));
  if (bytes.length < size) return 0;
  last = performance.timeOrigin + performance.now();
  first ??= last;
  count += 1;
  arrivals?.push([valueOf(head, 'webhook-id'), last]);
  sample ??= { headers: headersOf(head), body: bytes.toString('utf8', bodyStart, size) };
  return size;
}

function valueOf(head, name) {
  const start = head.indexOf(`\r\n${name}: `) + name.length + 4;
  const end = head.indexOf('\r\n', start);
  return head.slice(start, end < 0 ? undefined : end);
}

function headersOf(head) {
  const [, ...lines] = head.split('\r\n');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 2)];
    }),
  );
}

process.on('message', (message) => {
  if (message === 'count') process.send({ count });
  if (message === 'report') process.send({ count, first, last, arrivals, sample });
  if (message === 'reset' || message === 'watch') {
    [count, first, last, arrivals] = [0, null, null, message === 'watch' ? [] : null];
    process.send({ count });
  }
});
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}/hook` }));
