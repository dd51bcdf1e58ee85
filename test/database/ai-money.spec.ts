import { randomInt } from 'node:crypto';
import pg from 'pg';
import { uuidv7 } from '#libs/kernel/id.js';
import { Purse } from '../harness/ai-money.js';
import { adminPool } from '../harness/database.js';
import { startPlatform } from '../harness/platform.js';

const platform = await startPlatform();
const { adminUrl, appUrl, systemUrl } = platform.database;
const admin = adminPool(adminUrl, 2);
afterAll(async () => {
  await admin.end();
  await platform.close();
});

const SCOPE = JSON.stringify({
  kind: 'text.generate',
  provider: 'local',
  model: 'local-1',
  workspaceId: null,
  memberId: null,
  apiKeyId: null,
  agentId: null,
  modelKey: 'local/local-1',
});
const LATER = '2100-01-01T00:00:00Z';

async function connect(url: string, tenantId: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // killed on purpose
  await client.connect();
  await client.query(`select set_config('app.tenant_id', $1, false)`, [tenantId]);
  return client;
}

const reserve = (client: pg.Client, id: string, micros: number) =>
  client.query('select data.ai_reserve($1, $2, $3, $4, null, null, current_date, now(), $5)', [
    id,
    uuidv7(),
    micros,
    SCOPE,
    LATER,
  ]);

type Fate = 'commit' | 'roll back' | 'die before the commit' | 'die in the commit' | 'be killed';
const FATES: Fate[] = [
  'commit',
  'commit',
  'commit',
  'roll back',
  'die before the commit',
  'die in the commit',
  'be killed',
];

/** Runs steps on separate connections, which end in every possible way. */
async function unsteadyClient(tenantId: string, rounds: number): Promise<void> {
  let client = await connect(appUrl, tenantId);
  const open: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const fate = FATES[randomInt(FATES.length)]!;
    const id = uuidv7();
    try {
      await client.query('begin');
      const known = open.length > 0 && randomInt(2) === 0 ? open[randomInt(open.length)]! : null;
      if (known === null) await reserve(client, id, randomInt(1, 900));
      else if (randomInt(2) === 0) {
        const values = [known, uuidv7(), randomInt(0, 300), [1, 1, 0]];
        await client.query('select data.ai_settle($1, $2, $3, $4, false, now())', values);
      } else await client.query('select data.ai_release($1, now())', [known]);
      if (fate === 'commit') {
        await client.query('commit');
        if (known === null) open.push(id);
        continue;
      }
      if (fate === 'roll back') {
        await client.query('rollback');
        continue;
      }
      if (fate === 'be killed') {
        const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
        await admin.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
      } else if (fate === 'die in the commit') client.query('commit').catch(() => undefined);
      streamOf(client).destroy();
      client = await connect(appUrl, tenantId);
    } catch {
      await client.query('rollback').catch(() => undefined); // refused: no room
    }
  }
  await client.end().catch(() => undefined);
}

interface Inside {
  connection: { stream: { destroy(): void } };
}

const streamOf = (client: pg.Client) => (client as unknown as Inside).connection.stream; // internal to pg

it('64 clients that crash between any two steps neither exceed the budget nor leave a wrong sum', async () => {
  const own = new Purse(platform, await platform.tenant());
  await own.budget({ limitMicros: 20_000 });
  await own.budget({ period: 'day', limitMicros: 15_000 });
  let isWatching = true;
  const overshoots: unknown[] = [];
  const watch = (async () => {
    while (isWatching) {
      const { rows } = await admin.query<object>(
        `select * from data.ai_accounts where tenant_id = $1 and hard_stop
           and held_micros + spent_micros > limit_micros + overrun_micros`,
        [own.tenant.id],
      );
      overshoots.push(...rows);
    }
  })();
  await Promise.all(Array.from({ length: 64 }, () => unsteadyClient(own.tenant.id, 12)));
  isWatching = false;
  await watch;
  expect(overshoots).toEqual([]);
  expect(await own.mismatches()).toEqual([]);
  const { rows } = await admin.query<{ held: string; open: string }>(
    `select held_micros as held, (select sum(r.held_micros) from data.ai_reservations r where r.tenant_id = a.tenant_id) as open
     from data.ai_accounts a where tenant_id = $1`,
    [own.tenant.id],
  );
  expect(rows).toHaveLength(3);
  for (const { held, open } of rows) expect(held).toBe(open);
}, 300_000);

it('the check constraint holds: no statement raises an account above its limit', async () => {
  const own = new Purse(platform, await platform.tenant());
  await own.budget({ limitMicros: 1_000 });
  await own.reserve(600);
  const client = await connect(appUrl, own.tenant.id);
  for (const column of ['held_micros', 'spent_micros'])
    await expect(
      client.query(`update data.ai_accounts set ${column} = ${column} + 401 where kind = 'budget'`),
    ).rejects.toMatchObject({ constraint: 'ai_accounts_limit_check' });
  await client.end();
});

it('ledger entries cannot be changed or deleted', async () => {
  const own = new Purse(platform, await platform.tenant());
  const reservation = await own.reserve(600);
  await own.settle(reservation, 10);
  const statements = [
    `update data.ai_ledger set spent_delta = 0`,
    `delete from data.ai_ledger`,
    `truncate data.ai_ledger`,
    `truncate data.ai_ledger, data.ai_reservations`,
  ];
  for (const url of [appUrl, systemUrl]) {
    const client = await connect(url, own.tenant.id);
    for (const text of statements) await expect(client.query(text)).rejects.toMatchObject({ code: '42501' });
    await client.end();
  }
  for (const text of statements) await expect(admin.query(text)).rejects.toMatchObject({ code: 'TOP03' });
});

it('a counter that differs from the sum of its entries is detected', async () => {
  const own = new Purse(platform, await platform.tenant());
  const reservation = await own.reserve(600);
  expect(await own.mismatches()).toEqual([]);
  await admin.query(`update data.ai_accounts set spent_micros = 1 where tenant_id = $1`, [own.tenant.id]);
  await admin.query(`update data.ai_reservations set held_micros = 599 where id = $1`, [reservation]);
  const found = await own.mismatches();
  expect(found.map(({ what }) => what).sort()).toEqual(['account', 'reservation']);
});
