import { isDeepStrictEqual } from 'node:util';
import { call, holds } from './site.mjs';
import { PostgresProxy } from './postgres-proxy.mjs';

const DEALS = '/api/v1/sales/deals';
const GONE_LIMIT_MS = 10_000;
/** Messages with an effect in PostgreSQL: Execute, Sync, Query. The others only prepare. */
const ACTS = /[ESQ]/;
const ENDS_FLIGHT = /[SQ]/;

/**
 * Writes with an Idempotency-Key, and how to detect that the business row was written: a number that increases by one.
 */
const WRITES = {
  create: { request: () => ['POST', DEALS, { name: 'Written once', value: 5 }], row: 'count(*)' },
  update: { request: (id) => ['PATCH', `${DEALS}/${id}`, { name: 'Written once' }], row: `sum(version)` },
  transition: { request: (id) => ['POST', `${DEALS}/${id}/win`, {}], row: `count(*) filter (where status = 'won')` },
};

/**
 * Kills the API with SIGKILL after each statement that a write sends to PostgreSQL, including the response to the last
 * of a round trip; checks which of business row, audit rows, events and stored response exist; then sends the same
 * request with the same key to another process.
 * @param everyStatement false: only immediately before and after the end of each round trip, which are the awaits in
 * the code
 */
export async function killApi(site, { writes, everyStatement }) {
  const proxy = await PostgresProxy.start(site.appUrl);
  try {
    const stage = { site, proxy, api: await start(site, proxy) };
    const figures = { kills: 0, none: 0, all: 0, claimed: 0, torn: [], repeated: [] };
    for (const name of writes) {
      const whole = await rehearse(stage, WRITES[name]);
      for (const messages of pointsOf(whole.messages, everyStatement))
        await killAt(stage, { name, ...WRITES[name], messages, expected: whole.effect }, figures);
    }
    return figures;
  } finally {
    await proxy.close();
  }
}

const start = (site, proxy) => site.startApi({ DATABASE_APP_URL: proxy.urlOf(site.appUrl) });

/** Message counts after which to kill. */
function pointsOf(messages, everyStatement) {
  const all = Array.from({ length: messages.length + 1 }, (_, count) => count);
  const isPoint = everyStatement
    ? (count) => count === 0 || ACTS.test(messages[count - 1])
    : (count) => ENDS_FLIGHT.test(messages.slice(Math.max(count - 1, 0), count + 1));
  return all.filter(isPoint);
}

/** Creates a tenant with its default pipeline and a deal. */
async function prepare({ site, api }) {
  const [tenant] = await site.tenants(1);
  const answer = await call(api, tenant, 'POST', DEALS, { name: 'There before', value: 1 });
  if (answer.status !== 201) throw new Error(`The deal was rejected: ${JSON.stringify(answer.body)}`);
  return { tenant, dealId: answer.body.id };
}

/** The effect of an uninterrupted write: the messages it sends, and the change of the four counts. */
async function rehearse(stage, { request, row }) {
  const { tenant, dealId } = await prepare(stage);
  const before = await countsOf(stage.site, tenant, row);
  void stage.proxy.arm(1_000_000);
  const answer = await call(stage.api, tenant, ...request(dealId), { 'idempotency-key': 'once' });
  const messages = stage.proxy.passed;
  void stage.proxy.arm(Infinity);
  if (answer.status >= 300) throw new Error(`The write was rejected: ${JSON.stringify(answer.body)}`);
  return { messages, effect: minus(await countsOf(stage.site, tenant, row), before) };
}

async function killAt(stage, { name, request, row, messages, expected }, figures) {
  const { site, proxy } = stage;
  const { tenant, dealId } = await prepare(stage);
  const before = await countsOf(site, tenant, row);
  const send = () => call(stage.api, tenant, ...request(dealId), { 'idempotency-key': 'once' });
  const cut = proxy.arm(messages);
  const answered = send().catch(() => null);
  await Promise.race([cut, answered]);
  await stage.api.end('SIGKILL');
  await answered;
  proxy.disarm();
  await gone(site);

  const effect = minus(await countsOf(site, tenant, row), before);
  const isAll = isDeepStrictEqual(effect, expected);
  figures.kills += 1;
  if (isAll) figures.all += 1;
  else if (Object.values(effect).every((count) => count === 0)) figures.none += 1;
  else figures.torn.push(`${name} after ${messages} messages: ${JSON.stringify(effect)}`);

  stage.api = await start(site, proxy);
  let answer = await send();
  // The claim of the dead process would last a minute, so it is expired here. A create claims nothing beforehand.
  if (answer.status === 409 && answer.body.code === 'idempotency_in_progress') {
    figures.claimed += 1;
    await site.rows(`update data.idempotency_keys set locked_until = now() where tenant_id = $1`, [tenant.id]);
    answer = await send();
  }
  const total = minus(await countsOf(site, tenant, row), before);
  if (answer.status >= 300 || !isDeepStrictEqual(total, expected))
    figures.repeated.push(`${name} after ${messages} messages: ${answer.status} ${JSON.stringify(total)}`);
}

/** Waits until PostgreSQL has detected the dead process and completed what it had received. */
async function gone(site) {
  const { username } = new URL(site.appUrl);
  const backends = `select count(*)::int as count from pg_stat_activity where usename = $1 and datname = current_database()`;
  const isGone = await holds(async () => (await site.rows(backends, [username]))[0].count === 0, GONE_LIMIT_MS);
  if (!isGone) throw new Error('PostgreSQL keeps the connections of a dead process.');
}

async function countsOf(site, tenant, row) {
  const [counts] = await site.rows(
    `select (select ${row} from data.sales_deals where tenant_id = $1)::int as business,
       (select count(*) from data.audit_log where tenant_id = $1)::int as audit,
       (select count(*) from data.events where tenant_id = $1)::int as events,
       (select count(*) from data.idempotency_keys where tenant_id = $1 and completed_at is not null)::int as answers`,
    [tenant.id],
  );
  return counts;
}

const minus = (after, before) => Object.fromEntries(Object.keys(after).map((key) => [key, after[key] - before[key]]));

export function judgeApiKills({ kills, none, all, claimed, torn, repeated }) {
  return {
    measured: `${kills} kills: nothing written ${none} times, everything ${all} times, torn ${torn.length}; a claim left ${claimed} times; ${repeated.length} retries without exactly one effect`,
    broken: [...torn.map((each) => `torn: ${each}`), ...repeated.map((each) => `retried: ${each}`)],
  };
}
