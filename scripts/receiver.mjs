// node scripts/receiver.mjs [port]: a webhook receiver for development. Prints requests and, with WEBHOOK_SECRET,
// whether they are genuine. For a reference implementation see receiver/example-server.mjs.
import { createServer } from 'node:http';
import { verifyWebhook } from '../receiver/verify-webhook.mjs';

const port = Number(process.argv[2] ?? 4000);
const secret = process.env.WEBHOOK_SECRET;
if (secret && !/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) {
  console.error(
    'WEBHOOK_SECRET is not an endpoint secret: expected whsec_ and base64, as returned when the endpoint was created.',
  );
  process.exit(1);
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const result = secret ? verifyWebhook({ headers: request.headers, body, secret }) : null;
  response.writeHead(result?.ok === false ? 401 : 200).end();
  const verdict =
    result === null ? 'not checked (set WEBHOOK_SECRET)' : result.ok ? 'valid' : `INVALID: ${result.reason}`;
  console.log(
    `${request.headers['x-service-event']}  signature ${verdict}  attempt ${request.headers['x-service-attempt']}`,
  );
  console.log(`  ${body.toString()}`);
}).listen(port, '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${port}`));
