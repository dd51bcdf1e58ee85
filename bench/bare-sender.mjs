// Baseline of the delivery benchmark: an undici pool that only signs and sends the same body.
import { createHmac, randomUUID } from 'node:crypto';
import { Pool } from 'undici';

const [url, total, concurrency] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
process.once('message', async ({ headers, body }) => {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: concurrency });
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
  const key = Buffer.from(secret.slice(6), 'base64');
  let left = 0;
  const one = async () => {
    while (left-- > 0) {
      const id = randomUUID();
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const { statusCode, body: answer } = await pool.request({
        method: 'POST',
        path: pathname,
        headers: {
          ...headers,
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
          'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
        },
        body,
      });
      await answer.dump();
      if (statusCode !== 204) throw new Error(`The receiver answered ${statusCode}.`);
    }
  };
  const all = (count) => {
    left = count;
    return Promise.all(Array.from({ length: concurrency }, one));
  };
  await all(total / 2); // as warm as the worker when measured
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  await all(total);
  const { user, system } = process.cpuUsage(cpu);
  process.send({ rate: (total / (performance.now() - startedMs)) * 1_000, cpuUs: (user + system) / total });
  await pool.close();
  process.disconnect();
});
process.send({ url });
