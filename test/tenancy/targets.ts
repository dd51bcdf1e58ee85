import type pg from 'pg';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Target } from './breaches.js';
import { RowBuilder } from './row-builder.js';
import { readTenantTables } from './tenant-tables.js';

/** Two tenants with one row each in every tenant table. */
export interface Neighbours {
  tenantId: string;
  otherId: string;
  targets: Target[];
}

/** Creates the rows as the superuser. */
export async function makeNeighbours(admin: Pick<pg.ClientBase, 'query'>): Promise<Neighbours> {
  const tables = await readTenantTables(admin);
  const builder = new RowBuilder(admin, tables);
  const tenantId = uuidv7();
  const otherId = uuidv7();
  const targets: Target[] = [];
  for (const table of tables) {
    const own = await builder.seed(table, tenantId);
    const foreign = await builder.seed(table, otherId);
    const foreignDraft = await builder.draft(table, otherId);
    const crossed: Target['crossed'] = [];
    for (const reference of table.references)
      crossed.push({ reference: reference.name, draft: await builder.crossed(table, reference, tenantId, otherId) });
    targets.push({ table, own, foreign, foreignDraft, crossed });
  }
  return { tenantId, otherId, targets };
}
