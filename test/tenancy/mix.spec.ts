import pg from 'pg';
import { Database } from '#libs/database/database.js';
import { AUDITED } from '../harness/audit.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { type Hit, randomFrom, type Shot, Traffic } from './traffic.js';

/** Many concurrent tenants with aborted requests and lost connections must never see data of others. */
const TENANTS = 40;
const CLIENTS = 32;
const RESPONSES = Number(process.env['MIX_RESPONSES'] ?? 20_000);
const LIMIT_MS = Number(process.env['MIX_SECONDS'] ?? 30) * 1_000;
const CUT_SHARE = 0.05;
const KILL_EVERY = 100;
const SEED = Number(process.env['MIX_SEED'] ?? 1);

/** A tenant whose marker is part of everything that it writes. */
interface Party {
  id: string;
  apiKey: string;
  marker: string;
  deals: string[];
  pipelines: string[];
  endpoints: string[];
}

const MARKER = /mk[0-9a-f]{6}x/g;
const DEALS = '/api/v1/sales/deals';
const ENDPOINTS = '/api/webhooks/endpoints';
const random = randomFrom(SEED);
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;

let platform: TestPlatform;
let admin: pg.Client;
let traffic: Traffic;
let parties: Party[];

beforeAll(async () => {
  platform = await startPlatform();
  admin = new pg.Client({ connectionString: platform.database.adminUrl });
  await admin.connect();
  traffic = new Traffic(platform.url);
  parties = [];
  for (let i = 0; i < TENANTS; i++) {
    const { id, apiKey } = await platform.tenant();
    const marker = `mk${i.toString(16).padStart(2, '0')}${Math.floor(random() * 65_536)
      .toString(16)
      .padStart(4, '0')}x`;
    const party: Party = { id, apiKey, marker, deals: [], pipelines: [], endpoints: [] };
    for (const [list, path, body] of [
      [party.deals, DEALS, newDeal(party)],
      [party.pipelines, '/api/v1/sales/pipelines', { name: marker }],
      [party.endpoints, ENDPOINTS, newEndpoint(party)],
    ] as const) {
      const hit = await traffic.send(apiKey, { method: 'POST', path, body });
      list.push((JSON.parse(hit!.text) as { id: string }).id);
    }
    parties.push(party);
  }
});
afterAll(async () => {
  traffic.close();
  await admin.end();
  await platform.close();
});

const newDeal = ({ marker }: Party) => ({ name: `Deal ${marker}`, value: 100, nextStep: marker });
const newEndpoint = ({ marker }: Party) => ({
  url: `http://127.0.0.1:9/${marker}`,
  eventTypes: ['*'],
  description: marker,
});

/** The same keys for all tenants, so that a shared key would replay another tenant's response. */
const sharedKey = () => ({ 'idempotency-key': `shared-${Math.floor(random() * 200)}` });

/** A random request of a tenant. Some reference records of another tenant. */
function shotOf(party: Party): Shot {
  const { marker, deals, pipelines, endpoints } = party;
  const other = pick(parties);
  const deal = `${DEALS}/${pick(deals)}`;
  const endpoint = `${ENDPOINTS}/${pick(endpoints)}`;
  const shots: (() => Shot)[] = [
    () => ({ method: 'GET', path: `${DEALS}?limit=20` }),
    () => ({ method: 'GET', path: `/api/sales/deals?limit=5&sort=name,-createdAt&includeArchived=true` }),
    () => ({ method: 'GET', path: `${DEALS}?q=${other.marker}` }),
    () => ({ method: 'GET', path: `${DEALS}?ids=${pick(other.deals)},${pick(deals)}` }),
    () => ({ method: 'GET', path: `${DEALS}?pipelineId[in]=${pick(other.pipelines)}` }),
    () => ({ method: 'GET', path: deal }),
    () => ({ method: 'HEAD', path: deal }),
    () => ({ method: 'GET', path: `${DEALS}/${pick(other.deals)}` }),
    () => ({ method: 'GET', path: `/api/v1/sales/pipelines/${pick([...pipelines, ...other.pipelines])}` }),
    () => ({ method: 'GET', path: '/api/admin/audit-logs?limit=10' }),
    () => ({ method: 'GET', path: ENDPOINTS }),
    () => ({ method: 'GET', path: `${ENDPOINTS}/${pick(other.endpoints)}` }),
    () => ({ method: 'POST', path: DEALS, body: newDeal(party) }),
    () => ({ method: 'POST', path: '/api/sales/deals', body: newDeal(party), headers: sharedKey() }),
    () => ({ method: 'POST', path: DEALS, body: { ...newDeal(party), pipelineId: pick(other.pipelines) } }),
    () => ({ method: 'PATCH', path: deal, body: { nextStep: `${marker} ${Math.floor(random() * 9)}` } }),
    () => ({ method: 'PATCH', path: `${DEALS}/${pick(other.deals)}`, body: { nextStep: marker } }),
    () => ({
      method: 'PATCH',
      path: DEALS,
      body: { items: [pick(deals), pick(other.deals)].map((id) => ({ id, competitor: null, nextStep: marker })) },
    }),
    () => ({ method: 'POST', path: `${deal}/${pick(['win', 'archive', 'unarchive', 'restore'])}` }),
    () => ({ method: 'POST', path: `${deal}/reopen`, body: { reason: marker }, headers: sharedKey() }),
    () => ({ method: 'POST', path: `${deal}/lose`, body: { lostReason: 'price', lostNotes: marker } }),
    () => ({ method: 'DELETE', path: `${DEALS}?ids=${pick(deals)},${pick(other.deals)}` }),
    () => ({ method: 'PATCH', path: endpoint, body: { description: `${marker} ${Math.floor(random() * 9)}` } }),
    () => ({ method: 'POST', path: `${endpoint}/${pick(['pause', 'enable', 'disable'])}` }),
    () => ({ method: 'DELETE', path: `${ENDPOINTS}/${pick(other === party ? [deals[0]!] : other.endpoints)}` }),
  ];
  return pick(shots)();
}

/** The fault of a response; null when it is correct. */
function faultOf(party: Party, shot: Shot, { status, headers, text }: Hit): string | null {
  const place = `${shot.method} ${shot.path} -> ${status}`;
  if (status >= 500 && status !== 503) return `${place}: ${text}`;
  const foreign = [...(text + JSON.stringify(headers)).matchAll(MARKER)].map(([word]) => word);
  const asked: string[] = shot.path.match(MARKER) ?? [];
  const leaked = foreign.filter((word) => word !== party.marker && !asked.includes(word));
  if (leaked.length > 0) return `${place} for ${party.marker} shows ${leaked[0]}: ${text}`;
  const listed = status === 200 && shot.method === 'GET' && asked.length > 0 && asked[0] !== party.marker;
  return listed && !text.startsWith('{"data":[]') ? `${place} finds another tenant's word` : null;
}

interface Tally {
  responses: number;
  cut: number;
  killed: number;
  byStatus: Record<number, number>;
  faults: string[];
}

async function client(tally: Tally, endAtMs: number): Promise<void> {
  while (tally.responses < RESPONSES && Date.now() < endAtMs && tally.faults.length === 0) {
    const party = pick(parties);
    const shot = shotOf(party);
    const hit = await traffic.send(party.apiKey, shot, random() < CUT_SHARE ? Math.floor(random() * 6) : null);
    if (!hit) {
      tally.cut++;
      continue;
    }
    tally.responses++;
    if (tally.responses % KILL_EVERY === 0) await kill(tally);
    tally.byStatus[hit.status] = (tally.byStatus[hit.status] ?? 0) + 1;
    const fault = faultOf(party, shot, hit);
    if (fault) tally.faults.push(fault);
    if (hit.status === 201 && shot.path.endsWith('/deals') && party.deals.length < 200)
      party.deals.push((JSON.parse(hit.text) as { id: string }).id);
  }
}

/** Terminates two connections of the API while it works. */
async function kill(tally: Tally): Promise<void> {
  const { rowCount } = await admin.query(
    `select pg_terminate_backend(pid) from (select pid from pg_stat_activity
       where datname = current_database() and application_name = 'platform-api' order by random() limit 2) victim`,
  );
  tally.killed += rowCount ?? 0;
}

/** Activity of the API's connections, for diagnosing a request that does not finish. */
async function activity(): Promise<object> {
  const { rows } = await admin.query<object>(
    `select pid, state, wait_event, pg_blocking_pids(pid) as waits_for, now() - xact_start as since, left(query, 200) as query
       from pg_stat_activity where datname = current_database() and application_name = 'platform-api'`,
  );
  return { pool: platform.app.get(Database).connections, rows };
}

const single = async (sql: string): Promise<number> => (await admin.query<{ n: number }>(sql)).rows[0]!.n;

it(
  `shows nobody anything of another tenant (seed ${SEED})`,
  async () => {
    const tally: Tally = { responses: 0, cut: 0, killed: 0, byStatus: {}, faults: [] };
    const startMs = Date.now();
    await Promise.all(Array.from({ length: CLIENTS }, () => client(tally, startMs + LIMIT_MS))).catch(
      async (error: unknown) => {
        throw new Error(`PostgreSQL at that time: ${JSON.stringify(await activity())}`, { cause: error });
      },
    );
    const seconds = ((Date.now() - startMs) / 1_000).toFixed(1);
    const { faults, ...counts } = tally;
    process.stdout.write(`mix: ${JSON.stringify({ ...counts, seconds, seed: SEED })}\n`);
    expect(faults).toEqual([]);
    expect(tally.responses).toBeGreaterThan(1_000);
    expect(tally.cut).toBeGreaterThan(0);
    expect(tally.killed).toBeGreaterThan(0);
  },
  LIMIT_MS + 30_000,
);

it('leaves no open transaction', async () => {
  const deadlineMs = Date.now() + 10_000;
  let open: number;
  do
    open = await single(`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and application_name = 'platform-api' and state <> 'idle'`);
  while (open > 0 && Date.now() < deadlineMs);
  expect(open).toBe(0);
  const hit = await traffic.send(parties[0]!.apiKey, { method: 'GET', path: DEALS });
  expect(hit!.status).toBe(200);
});

it('keeps every row in its tenant, with one audit row and one event per version', async () => {
  for (const { id, marker } of parties) {
    const { rows } = await admin.query<{ text: string }>(
      `select t::text as text from data.sales_deals t where tenant_id = $1
       union all select t::text from data.webhook_endpoints t where tenant_id = $1
       union all select ${AUDITED} as entry from data.audit_log where tenant_id = $1
       union all select envelope from data.events where tenant_id = $1
       union all select body from data.idempotency_keys where tenant_id = $1 and body is not null`,
      [id],
    );
    for (const { text } of rows) for (const [word] of text.matchAll(MARKER)) expect(word).toBe(marker);
  }
  expect(
    await single(`
      select count(*)::int as n from (
        select tenant_id, id, version from data.sales_deals union all
        select tenant_id, id, version from data.sales_pipelines union all
        select tenant_id, id, version from data.webhook_endpoints) r
      where version <> (select count(*) from data.events e where e.tenant_id = r.tenant_id and e.subject_id = r.id::text)
         or version <> (select count(*) from data.audit_log a
              where a.tenant_id = r.tenant_id and a.target_id = r.id::text and a.outcome = 'success')`),
  ).toBe(0);
});
