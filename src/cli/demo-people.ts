import type { MasterKeys } from '#libs/sealing/master-keys.js';
import { DEMO_PEOPLE } from '#src/start/demo-people.js';
import { openDirectory } from './directory-access.js';

/** Adds missing demo people as members, including those that were removed. */
export async function ensureDemoPeople(systemUrl: string, masterKeys: MasterKeys, tenantSlug: string): Promise<void> {
  await openDirectory(systemUrl, masterKeys, 'platform', async ({ tenants, members }) => {
    const tenant = await tenants.get(tenantSlug);
    const known = new Set((await members.list(tenant)).map(({ email }) => email));
    for (const person of DEMO_PEOPLE) if (!known.has(person.email)) await members.add(tenant, person);
  });
}
