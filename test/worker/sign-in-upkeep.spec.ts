import { randomUUID } from 'node:crypto';
import { SignInUpkeep } from '#src/areas/auth/sign-in-upkeep.js';
import { IDENTITY_FIXTURES } from '../matrix/fixtures/identity.js';
import { adminPool } from '../harness/database.js';
import { Stage } from './stage.js';

const stage = await Stage.open();
const admin = adminPool(stage.platform.database.adminUrl, 1);
afterAll(async () => {
  await admin.end();
  await stage.close();
});

it('only old sessions and used ID tokens are deleted', async () => {
  const tenant = await stage.platform.tenant();
  const scene = { tenantId: tenant.id, api: tenant.api, admin, label: 'upkeep' };
  const session = async (expiresAt: string): Promise<string> => {
    const { path } = await IDENTITY_FIXTURES['auth.sessions.delete']!.call(scene);
    await admin.query(`update directory.sessions set expires_at = $2 where credential_id = $1`, [
      path!['id'],
      expiresAt,
    ]);
    await admin.query(`insert into directory.credential_uses values ($1, now())`, [path!['id']]);
    return path!['id']!;
  };
  const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
  const [old, ended, open] = [await session(daysAgo(31)), await session(daysAgo(29)), await session(daysAgo(-1))];
  for (const expiresAt of [daysAgo(1), daysAgo(-1)])
    await admin.query(`insert into directory.used_id_tokens values (sha256($1::bytea), $2)`, [randomUUID(), expiresAt]);
  const worker = await stage.idleWorker();
  await worker.get(SignInUpkeep).sweep();
  const ids = async (table: string, column: string) => {
    const { rows } = await admin.query<{ id: string }>(
      `select ${column} as id from directory.${table} where ${column} = any($1)`,
      [[old, ended, open]],
    );
    return rows.map(({ id }) => id).sort();
  };
  for (const [table, column] of [
    ['sessions', 'credential_id'],
    ['credentials', 'id'],
    ['credential_uses', 'credential_id'],
  ] as const)
    expect(await ids(table, column)).toEqual([ended, open].sort());
  const { rows } = await admin.query(`select 1 from directory.used_id_tokens`);
  expect(rows).toHaveLength(1);
  expect((await tenant.api.get('/api/auth/session')).status).toBe(200);
});
