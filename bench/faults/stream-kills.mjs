import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { Load } from './load.mjs';
import { call, holds } from './site.mjs';

const DRAIN_LIMIT_MS = 60_000;
const BUSY_LIMIT_MS = 30_000;
const SIGNING_SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const ALLOW = `update directory.credentials set allow_protected = true where tenant_id = any($1::uuid[])`;
// A dead worker's lease lasts 45 s.
const EXPIRE = `update data.audit_stream_cursors set leased_until = now() where leased_until > now()`;
const SEALED = `select seq::int, entry_id as id from data.audit_tree where tenant_id = $1 order by seq`;
const PENDING = 'select count(*)::int as count from data.audit_pending where tenant_id = any($1::uuid[])';

/** Streams the audit logs of tenants to a destination each, and kills the worker while a batch is being delivered. */
export async function killStreaming(site, { kills, rate, tenants: count, answerMs }) {
  const api = await site.api();
  const tenants = await site.tenants(count);
  const ids = tenants.map(({ id }) => id);
  await site.rows(ALLOW, [ids]);
  const destinations = await Destinations.start(answerMs);
  const load = new Load(api, tenants, rate);
  try {
    for (const tenant of tenants) await stream(api, tenant, destinations.urlOf(tenant));
    load.start();
    let worker = await site.startWorker();
    for (let kill = 0; kill < kills; kill++) {
      if (!(await holds(() => destinations.open > 0, BUSY_LIMIT_MS))) throw new Error('The worker delivers nothing.');
      await worker.end('SIGKILL');
      await site.rows(EXPIRE);
      worker = await site.startWorker();
      await wait(answerMs); // until the requests of the killed worker are over
    }
    const reached = await load.stop();
    await holds(async () => (await site.rows(PENDING, [ids]))[0].count === 0, DRAIN_LIMIT_MS);
    const found = [];
    for (const { id } of tenants) found.push(await examine(site, id, destinations.of(id)));
    const sum = (name) => found.reduce((total, each) => total + each[name], 0);
    return {
      ...{ kills, rate: reached, entries: sum('entries'), lost: sum('lost') },
      ...{ duplicates: sum('duplicates'), foreign: sum('foreign'), early: sum('early') },
    };
  } finally {
    await load.stop();
    await destinations.close();
  }
}

export function judgeStreamKills({ kills, rate, entries, lost, duplicates, foreign, early }) {
  return {
    measured: `${kills} kills at ${rate}/s: ${lost} of ${entries} entries lost, ${duplicates} delivered again, ${early} before an earlier one`,
    broken: [
      lost > 0 && `${lost} entries lost`,
      foreign > 0 && `${foreign} entries of another log or number`,
      early > 0 && `${early} entries delivered before an earlier one`,
    ].filter(Boolean),
  };
}

async function stream(api, tenant, url) {
  const secret = await call(api, tenant, 'POST', '/api/admin/secrets', { name: 'SIEM', value: SIGNING_SECRET });
  const answer = await call(api, tenant, 'POST', '/api/admin/audit-logs/streams', {
    ...{ name: 'SIEM', kind: 'https', url, from: 'beginning' },
    credentialSecretId: secret.body.id,
  });
  if (answer.status !== 200) throw new Error(`The stream was rejected: ${JSON.stringify(answer.body)}`);
}

/** Compares what has arrived at a destination with the sealed log. */
async function examine(site, tenantId, arrived) {
  const sealed = await site.rows(SEALED, [tenantId]);
  await holds(() => arrived.at(-1)?.seq === sealed.length, DRAIN_LIMIT_MS);
  const idOf = new Map(sealed.map(({ seq, id }) => [seq, id]));
  let [highest, early] = [0, 0];
  for (const { seq } of arrived) {
    if (seq > highest + 1) early++;
    highest = Math.max(highest, seq);
  }
  const known = new Set(arrived.map(({ seq }) => seq));
  return {
    entries: sealed.length,
    lost: sealed.filter(({ seq }) => !known.has(seq)).length,
    duplicates: arrived.length - known.size,
    foreign: arrived.filter(({ seq, id }) => idOf.get(seq) !== id).length,
    early,
  };
}

/** Receivers of audit logs, one path for each tenant. */
class Destinations {
  /** Number of requests that were received and not answered yet. */
  open = 0;
  #arrived = new Map();
  #server;

  static async start(answerMs) {
    const made = new Destinations();
    made.#server = createServer((request, response) => void made.#receive(request, response, answerMs));
    await once(made.#server.listen(0, '127.0.0.1'), 'listening');
    return made;
  }

  urlOf({ id }) {
    return `http://127.0.0.1:${this.#server.address().port}/${id}`;
  }

  /** Numbers and ids of the entries of a tenant, in the order of their arrival. */
  of(tenantId) {
    if (!this.#arrived.has(tenantId)) this.#arrived.set(tenantId, []);
    return this.#arrived.get(tenantId);
  }

  async close() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #receive(request, response, answerMs) {
    const body = await text(request).catch(() => null);
    if (body === null) return; // cut off
    for (const line of body.split('\n').filter(Boolean)) {
      const { seq, id } = JSON.parse(line);
      this.of(request.url.slice(1)).push({ seq, id });
    }
    this.open++;
    await wait(answerMs);
    this.open--;
    response.writeHead(200).end();
  }
}
