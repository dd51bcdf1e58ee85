// WEBHOOK_SECRET=whsec_... node receiver/example-server.mjs [port]: a receiver as it should be. During the grace of a
// rotation WEBHOOK_SECRET can have both secrets, with a comma between them.
import { createServer } from 'node:http';
import { verifyWebhook } from './verify-webhook.mjs';

const port = Number(process.argv[2] ?? 4000);
const secrets = (process.env.WEBHOOK_SECRET ?? '').split(',');
const MAX_BODY_BYTES = 1024 * 1024; // ours have at most 256 KiB
const seen = new Set(); // yours: a table with the id as its key, written in one transaction with the event

verifyWebhook({ headers: {}, body: '', secrets }); // throws now, not at the first delivery, when a secret is none

/** The status to answer with. */
function receive(headers, body) {
  const result = verifyWebhook({ headers, body, secrets });
  // The form `service` does not say when the request was made: who wants to know that takes `standard` alone.
  if (!result.ok || result.form !== 'standard') return 401;
  if (seen.has(result.id)) return 200;
  const { type, sequence } = JSON.parse(body.toString());
  console.log(`${result.id} ${type} sequence ${sequence}`);
  seen.add(result.id); // it is kept, so the answer is yes; whatever takes long is done after that
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
