// WEBHOOK_SECRET=whsec_... node receiver/example-server.mjs [port]: a reference receiver. During the grace period of a
// rotation, WEBHOOK_SECRET can hold both secrets, separated by a comma.
import { createServer } from 'node:http';
import { verifyWebhook } from './verify-webhook.mjs';

const port = Number(process.argv[2] ?? 4000);
const secrets = (process.env.WEBHOOK_SECRET ?? '').split(',');
const MAX_BODY_BYTES = 1024 * 1024; // deliveries have at most 256 KiB
const seen = new Set(); // in production: a table keyed by id, written in the same transaction as the event

verifyWebhook({ headers: {}, body: '', secrets }); // fails at startup, not at the first delivery, if a secret is invalid

/** The response status. */
function receive(headers, body) {
  const result = verifyWebhook({ headers, body, secrets });
  // The form `service` carries no time of the request: to check it, accept only `standard`.
  if (!result.ok || result.form !== 'standard') return 401;
  if (seen.has(result.id)) return 200;
  const { type, sequence } = JSON.parse(body.toString());
  console.log(`${result.id} ${type} sequence ${sequence}`);
  seen.add(result.id); // stored, so acknowledge it; do slow work afterwards
  return 202;
}

const server = createServer((request, response) => {
  const chunks = [];
  let length = 0;
  request.on('data', (chunk) => {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
  });
  request.on('end', () => {
    const status = length > MAX_BODY_BYTES ? 413 : receive(request.headers, Buffer.concat(chunks));
    response.writeHead(status).end();
  });
});
server.listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${server.address().port}`));
