import pg from 'pg';
import { rolesOf, type Roles } from '#libs/database/roles.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { breachesAsTenant, breachesWithoutTenant, type Target } from './breaches.js';
import { lintCatalog } from './catalog-lint.js';
import { SYSTEM_TABLES } from './lint-rule.js';
import { makeNeighbours, type Neighbours } from './targets.js';

/** Weakened row-level security is detected on every table, by the attempts and by the lint. */
let database: TestDatabase;
let admin: pg.Client;
let neighbours: Neighbours;
let roles: Roles;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  neighbours = await makeNeighbours(admin);
  roles = rolesOf(database.settings.DATABASE_ROLE_PREFIX!);
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

const EXPRESSION = `tenant_id = (select current_setting('app.tenant_id')::uuid)`;

/** Damage to write protection only shows on tables that a role may write. */
function mayWrite(table: string, role: string): string {
  return `grant insert, update, delete on data.${table} to ${role}`;
}

interface Mutant {
  name: string;
  /** The damage; null when it does not apply to the table. */
  sql: (target: Target, roles: Roles) => string | null;
  /** Not yet exploitable, so only the lint can detect it. */
  latent?: boolean;
}

const MUTANTS: Mutant[] = [
  { name: 'no policy', sql: ({ table }) => `drop policy tenant_isolation on data.${table.name}` },
  { name: 'no row-level security', sql: ({ table }) => `alter table data.${table.name} disable row level security` },
  {
    name: 'a permissive policy',
    sql: ({ table }, { app, system }) => `drop policy tenant_isolation on data.${table.name};
      create policy tenant_isolation on data.${table.name} for all to ${app}, ${system}
        using (${EXPRESSION}) with check (${EXPRESSION})`,
  },
  { name: 'no FORCE', sql: ({ table }) => `alter table data.${table.name} no force row level security`, latent: true },
  {
    name: 'no FORCE and the app role as owner',
    sql: ({ table }, { app }) => `alter table data.${table.name} no force row level security;
      alter table data.${table.name} owner to ${app}`,
  },
  {
    name: 'no WITH CHECK',
    sql: ({ table }, { app }) => `${mayWrite(table.name, app)};
      alter policy tenant_isolation on data.${table.name} with check (true)`,
  },
  { name: 'no USING', sql: ({ table }) => `alter policy tenant_isolation on data.${table.name} using (true)` },
  {
    name: 'another column',
    sql: ({ table }) => {
      const other = table.columns.find(({ type, name }) => type === 'uuid' && name !== 'tenant_id');
      return other ? swap(table.name, `${other.name} = (select current_setting('app.tenant_id')::uuid)`) : null;
    },
  },
  {
    name: 'the setting compared with itself',
    sql: ({ table }) =>
      swap(table.name, `current_setting('app.tenant_id')::uuid = (select current_setting('app.tenant_id')::uuid)`),
  },
  {
    name: 'a setting that may be missing',
    sql: ({ table }) =>
      swap(table.name, `tenant_id = (select nullif(current_setting('app.tenant_id', true), '')::uuid)`),
  },
  {
    name: 'a tenant that may be missing',
    sql: ({ table }) => swap(table.name, `tenant_id is null or ${EXPRESSION}`),
    latent: true,
  },
  {
    name: 'an exception for the platform itself',
    sql: ({ table }) => swap(table.name, `${EXPRESSION} or current_setting('app.admin', true) is null`),
  },
  {
    name: 'only for reading',
    sql: (
      { table },
      { app, system },
    ) => `${mayWrite(table.name, app)}; drop policy tenant_isolation on data.${table.name};
      create policy tenant_isolation on data.${table.name} as restrictive for select to ${app}, ${system} using (${EXPRESSION})`,
  },
  {
    name: 'only for the worker',
    sql: ({ table }, { system }) => `alter policy tenant_isolation on data.${table.name} to ${system}`,
  },
  { name: 'TRUNCATE', sql: ({ table }, { app }) => `grant truncate on data.${table.name} to ${app}` },
  { name: 'a role that bypasses', sql: (_target, { app }) => `alter role ${app} bypassrls` },
  {
    name: 'references without the tenant',
    sql: ({ table }) =>
      table.references.length === 0
        ? null
        : table.references
            .map(({ name, columns, table: target, targets }, i) => {
              const own = columns.filter((column) => column !== 'tenant_id').join(', ');
              const others = targets.filter((column) => column !== 'tenant_id').join(', ');
              return `create unique index mutant_${table.name}_${i} on data.${target} (${others});
                alter table data.${table.name} drop constraint ${name},
                  add constraint ${name} foreign key (${own}) references data.${target} (${others})`;
            })
            .join(';'),
  },
];

function swap(table: string, expression: string): string {
  return `alter policy tenant_isolation on data.${table} using (${expression}) with check (${expression})`;
}

/** Findings of the attempts of a login role, inside the open transaction of the superuser. */
async function breaches(role: string, target: Target, most = Infinity): Promise<string[]> {
  await admin.query(`savepoint role; set local role ${role}`);
  const found = await breachesAsTenant(admin, neighbours.tenantId, target, most);
  if (found.length < most) found.push(...(await breachesWithoutTenant(admin, target, most)));
  await admin.query('rollback to savepoint role');
  return found;
}

async function underMutant<T>(sql: string, look: () => Promise<T>): Promise<T> {
  await admin.query('begin');
  try {
    await admin.query(sql);
    return await look();
  } finally {
    await admin.query('rollback');
  }
}

describe('without a mutant', () => {
  it('has no findings with the same checks', async () => {
    for (const target of neighbours.targets)
      await underMutant('select 1', async () => {
        expect(await breaches(roles.app, target)).toEqual([]);
        if (!SYSTEM_TABLES.includes(target.table.name)) expect(await breaches(roles.system, target)).toEqual([]);
      });
    expect(await lintCatalog(admin, roles)).toEqual([]);
  });
});

describe('weakened row-level security', () => {
  it.each(MUTANTS)('is detected on every table: $name', async ({ sql, latent = false }) => {
    const damaged = neighbours.targets.filter((target) => sql(target, roles) !== null);
    const damages = new Set(damaged.map((target) => sql(target, roles)!));
    expect(damaged).not.toEqual([]);
    await underMutant([...damages].join(';'), async () => {
      const findings = await lintCatalog(admin, roles);
      const isNoticed = ({ table }: Target) =>
        // Damage to a role does not name a table.
        findings.some((finding) => damages.size === 1 || finding.startsWith(`data.${table.name}: `));
      const namesOf = (targets: Target[]) => targets.map(({ table }) => table.name);
      expect(namesOf(damaged.filter((target) => !isNoticed(target)))).toEqual([]);
      if (latent) return;
      const standing: Target[] = [];
      for (const target of damaged) if ((await breaches(roles.app, target, 1)).length === 0) standing.push(target);
      expect(namesOf(standing)).toEqual([]);
    });
  });
});
