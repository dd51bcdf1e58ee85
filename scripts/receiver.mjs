// node scripts/receiver.mjs [port]: a webhook receiver to try things out with. Checks x-service-signature with
// WEBHOOK_SECRET and prints what arrives. No dependencies: copy it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const port = Number(process.argv[2] ?? 4000);
const secret = process.env.WEBHOOK_SECRET;

/** Whether the raw body was signed with the secret, as it was shown when the endpoint was made. */
function isGenuine(body, signature) {
  const expected = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from(signature ?? '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const genuine = secret ? isGenuine(body, request.headers['x-service-signature']) : null;
  response.writeHead(genuine === false ? 401 : 200).end();
  const verdict = genuine === null ? 'not checked (set WEBHOOK_SECRET)' : genuine ? 'valid' : 'INVALID';
  console.log(
    `${request.headers['x-service-event']}  signature ${verdict}  attempt ${request.headers['x-service-attempt']}`,
  );
  console.log(`  ${body.toString().slice(0, 300)}`);
}).listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}`));
