import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addressSpelling, comparisonKey } from '#libs/kernel/domain.js';

/** Text or lists of text with addresses that were stored before their domains had one spelling. */
const ADDRESSES = [
  ['memberships', 'email'],
  ['invitations', 'email'],
  ['sales_accounts', 'billing_email'],
  ['sales_contacts', 'emails'],
  ['sales_leads', 'email'],
  ['talent_candidates', 'email'],
  ['talent_candidates', 'emails'],
  ['people_employees', 'work_email'],
  ['people_employees', 'personal_email'],
] as const;
/** What a provider's names and documents are compared by. */
const KEYS = [
  ['scim_users', 'user_name_key'],
  ['scim_users', 'display_name_key'],
  ['scim_users', 'keys'],
  ['scim_groups', 'display_name_key'],
  ['scim_groups', 'keys'],
  ['scim_mappings', 'group_key'],
] as const;
const UNIQUE_VIOLATION = '23505';

interface Stored {
  place: string;
  tenant: string;
  value: unknown;
}

/**
 * Addresses get the one spelling of their domain, and names of providers are compared without marks that nobody sees, for
 * what is stored too. A value stays as it is where another record has the new one.
 */
export class ComparableNames1763700000265 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Rows are changed by the owner, who otherwise sees none without a tenant. Triggers keep more tables.
    const tables = (await runner.query(
      `select oid::regclass::text as name from pg_class
       where relnamespace = 'data'::regnamespace and relforcerowsecurity and relkind in ('r', 'p')`,
    )) as { name: string }[];
    for (const { name } of tables) await runner.query(`alter table ${name} no force row level security`);
    for (const [table, column] of ADDRESSES)
      await respell(runner, { table, column, more: ', version = version + 1' }, addressSpelling);
    for (const [table, column] of KEYS) await respell(runner, { table, column, more: '' }, comparisonKey);
    await runner.query(`
      update directory.open_invitations o set email_lower = i.email_lower from data.invitations i
      where i.tenant_id = o.tenant_id and i.id = o.invitation_id and o.email_lower <> i.email_lower`);
    await runner.query('set constraints all immediate'); // tables with deferred checks cannot be altered
    for (const { name } of tables) await runner.query(`alter table ${name} force row level security`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function respell(
  runner: QueryRunner,
  { table, column, more }: { table: string; column: string; more: string },
  spell: (text: string) => string,
): Promise<void> {
  const rows = (await runner.query(
    `select ctid::text as place, tenant_id as tenant, ${column} as value from data.${table}
     where ${column}::text ~ '[^\\x01-\\x7f]' order by ctid`,
  )) as Stored[];
  for (const { place, tenant, value } of rows) {
    const spelled = inAll(value, spell);
    const [before, after] = [value, spelled].map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
    if (before === after) continue;
    await runner.query(`select set_config('app.tenant_id', $1, true)`, [tenant]);
    await runner.query('savepoint respelled');
    try {
      await runner.query(`update data.${table} set ${column} = $2${more} where ctid = $1::tid`, [place, after]);
      await runner.query('release savepoint respelled');
    } catch (error) {
      if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
      await runner.query('rollback to savepoint respelled');
    }
  }
}

/** A value with all its texts spelled; equal members of a list stand once. */
function inAll(value: unknown, spell: (text: string) => string): unknown {
  if (typeof value === 'string') return spell(value);
  if (Array.isArray(value)) {
    const members = value.map((each) => inAll(each, spell));
    return [...new Map(members.map((each) => [JSON.stringify(each), each])).values()];
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inAll(each, spell)]));
}
