import { DAY_MS } from '#libs/kernel/durations.js';
import { OauthUpkeep } from '#src/areas/auth/oauth/oauth-upkeep.js';
import { adminPool } from '../harness/database.js';
import { IDENTITY_FIXTURES } from '../matrix/fixtures/identity.js';
import { makeAccessToken } from '../matrix/keys.js';
import { Stage } from './stage.js';

const stage = await Stage.open();
const admin = adminPool(stage.platform.database.adminUrl, 1);
afterAll(async () => {
  await admin.end();
  await stage.close();
});

it('deletes only codes and tokens that expired more than a week ago', async () => {
  const tenant = await stage.platform.tenant();
  const scene = { tenantId: tenant.id, api: tenant.api, admin, label: 'upkeep' };
  const tokens = async (expiredDaysAgo: number): Promise<string> => {
    const { path } = await IDENTITY_FIXTURES['settings.oauth_grants.revoke']!.call(scene);
    const grantId = path!['id']!;
    const expiresAt = new Date(Date.now() - expiredDaysAgo * DAY_MS);
    await makeAccessToken(admin, tenant.id, grantId, expiresAt);
    await admin.query(`update directory.oauth_tokens set expires_at = $2 where grant_id = $1`, [grantId, expiresAt]);
    return grantId;
  };
  const [old, late, good] = [await tokens(8), await tokens(6), await tokens(-1)];
  const epoch = async () =>
    (await admin.query<{ epoch: string }>(`select epoch from directory.tenants where id = $1`, [tenant.id])).rows[0];
  const before = await epoch();
  const worker = await stage.idleWorker();
  await worker.get(OauthUpkeep).sweep();
  const kept = async (sql: string) =>
    (await admin.query<{ id: string }>(sql, [[old, late, good]])).rows.map(({ id }) => id);
  expect(await kept(`select grant_id as id from directory.oauth_tokens where grant_id = any($1) order by 1`)).toEqual(
    [late, good].sort(),
  );
  expect(
    await kept(`select lineage_id as id from directory.credentials where lineage_id = any($1) order by 1`),
  ).toEqual([late, good].sort());
  // This does not invalidate the cached tenant.
  expect(await epoch()).toEqual(before);
});
