import pg from 'pg';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, makeDeal, makePipeline, stage } from './deal-calls.js';
import { ACCOUNTS, CONTACTS, makeAccount, makeContact, makeLead, makeProduct } from './sales-calls.js';

/** Invariants tested by direct SQL, with the role of the API inside the tenant. */
let platform: TestPlatform;
let tenant: TestTenant;
let app: pg.Client;
let open: string;
let won: string;
let lost: string;
let other: string;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  app = new pg.Client({ connectionString: platform.database.appUrl });
  await app.connect();
  open = (await makeDeal(tenant.api, { value: 5 })).id;
  won = (await act(tenant.api, (await makeDeal(tenant.api)).id, 'win')).id;
  lost = (await act(tenant.api, (await makeDeal(tenant.api)).id, 'lose', { lostReason: 'price' })).id;
  const stages = [stage('elsewhere', 'open'), stage('w', 'won'), stage('l', 'lost')];
  other = (await makePipeline(tenant.api, { stages })).id;
});
afterAll(async () => {
  await app.end();
  await platform.close();
});

/** SQLSTATE and constraint that a statement violates; `no error` if none. */
async function broken(text: string, values: unknown[] = []): Promise<string> {
  await app.query('begin');
  try {
    await app.query(`select set_config('app.tenant_id', $1, true)`, [tenant.id]);
    const { rowCount } = await app.query(text, values);
    await app.query('set constraints all immediate');
    return `no error, ${rowCount} rows`;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return `${error.code} ${error.constraint ?? ''}`.trim();
  } finally {
    await app.query('rollback');
  }
}

const set = (id: string, assignment: string, ...values: unknown[]) =>
  broken(`update data.sales_deals set ${assignment} where id = $1`, [id, ...values]);

const FOREIGN_KEY = '23503';
const CHECK = /^23514 sales_deals_.*check/;

it('accepts a valid change, as a control for the rejections below', async () => {
  expect(await set(open, `stage = 'demo', probability = 12, value_minor = 0`)).toBe('no error, 1 rows');
  expect(await set(lost, `deleted_at = now(), lost_reason = 'fit'`)).toBe('no error, 1 rows');
  expect(await set(won, `archived_at = now()`)).toBe('no error, 1 rows');
  expect(await set(open, `pipeline_id = $2, stage = 'elsewhere'`, other)).toBe('no error, 1 rows');
});

describe('a deal is never', () => {
  it('in a stage of another pipeline or in an unknown stage', async () => {
    const refusal = `${FOREIGN_KEY} sales_deals_stage_of_pipeline`;
    expect(await set(open, `stage = 'elsewhere'`)).toBe(refusal);
    expect(await set(open, `stage = 'nowhere'`)).toBe(refusal);
    expect(await set(open, `pipeline_id = $2`, other)).toBe(refusal);
    expect(await set(open, `pipeline_id = gen_random_uuid()`)).toBe(refusal);
  });

  it('in a status that differs from the category of its stage', async () => {
    const refusal = `${FOREIGN_KEY} sales_deals_stage_of_pipeline`;
    expect(await set(open, `status = 'won', probability = 100, closed_at = now()`)).toBe(refusal);
    expect(await set(open, `stage = 'won'`)).toBe(refusal);
    expect(await set(open, `stage = 'lost', probability = 0`)).toBe(refusal);
    expect(await set(won, `status = 'open', closed_at = null`)).toBe(refusal);
  });

  it('orphaned by its stage: a stage in use cannot be deleted or change its category', async () => {
    const refusal = `${FOREIGN_KEY} sales_deals_stage_of_pipeline`;
    const gone = `update data.sales_pipelines set stages = jsonb_path_query_array(stages, '$[*] ? (@.key != "won")')`;
    expect(await broken(`${gone} where is_default`)).toBe(refusal);
    expect(await broken(`delete from data.sales_pipeline_stages where stage = 'won'`)).toBe(refusal);
    expect(await broken(`update data.sales_pipeline_stages set category = 'lost' where stage = 'won'`)).toBe(refusal);
  });

  it('won without probability 100 and closing time, or deleted after it was won', async () => {
    expect(await set(won, 'probability = 99')).toMatch(CHECK);
    expect(await set(won, 'closed_at = null')).toMatch(CHECK);
    expect(await set(won, 'deleted_at = now()')).toMatch(CHECK);
  });

  it('lost without a reason, a closing time and probability 0', async () => {
    expect(await set(lost, 'lost_reason = null')).toMatch(CHECK);
    expect(await set(lost, 'closed_at = null')).toMatch(CHECK);
    expect(await set(lost, 'probability = 1')).toMatch(CHECK);
  });

  it('open with a closing time or a lost reason', async () => {
    expect(await set(open, 'closed_at = now()')).toMatch(CHECK);
    expect(await set(open, `lost_reason = 'price'`)).toMatch(CHECK);
    expect(await set(won, `lost_reason = 'price'`)).toMatch(CHECK);
  });

  it.each([
    'value_minor = -1',
    'value_minor = 9007199254740992',
    `currency = 'usd'`,
    `currency = ''`,
    'probability = 101',
    'probability = -1',
    `forecast_category = 'sure'`,
    `deal_type = 'gift'`,
    `source = 'dream'`,
    `name = ''`,
    `name = repeat('x', 201)`,
    'version = 0',
    `next_step = repeat('x', 501)`,
  ])('out of range: %s', async (assignment) => {
    expect(await set(open, assignment)).toMatch(CHECK);
  });

  it('of another tenant, and never refers to a deal or pipeline of one', async () => {
    const neighbour = await platform.tenant();
    const foreign = await makeDeal(neighbour.api);
    expect(await set(open, 'tenant_id = $2', neighbour.id)).toMatch(/^42501/);
    expect(await set(foreign.id, 'name = name')).toBe('no error, 0 rows');
    expect(await set(open, 'renewal_of_deal_id = $2', foreign.id)).toBe(`${FOREIGN_KEY} sales_deals_renewal_of`);
    expect(await set(open, 'pipeline_id = $2', foreign.pipelineId)).toBe(
      `${FOREIGN_KEY} sales_deals_stage_of_pipeline`,
    );
  });

  it('worth anything but the total of its lines', async () => {
    const refusal = '23514 sales_deals_value_of_lines';
    const lines = JSON.stringify([{ netMinor: 200 }, { netMinor: -50 }]);
    expect(await set(open, 'line_items = $2, value_minor = 150', lines)).toBe('no error, 1 rows');
    expect(await set(open, 'line_items = $2', lines)).toBe(refusal);
    expect(await set(open, 'line_items = $2, value_minor = 151', lines)).toBe(refusal);
    expect(await set(open, 'line_items = $2, value_minor = null', lines)).toBe(refusal);
    expect(await set(open, `line_items = '[{}]'`)).toBe(refusal);
  });

  it('with a contact of another account, whichever of the two changes', async () => {
    const [one, two] = [await makeAccount(tenant.api), await makeAccount(tenant.api)];
    const contact = await makeContact(tenant.api, { accountId: one.id });
    const deal = await makeDeal(tenant.api, { accountId: one.id, primaryContactId: contact.id });
    const ofDeal = '23514 sales_deals_contact_of_account';
    expect(await set(deal.id, 'account_id = $2', two.id)).toBe(ofDeal);
    expect(await set(deal.id, 'account_id = null')).toBe(ofDeal);
    expect(await set(open, 'primary_contact_id = $2', contact.id)).toBe(ofDeal);
    expect(await set(open, `contact_ids = jsonb_build_array($2::text)`, contact.id)).toBe(ofDeal);
    const move = `update data.sales_contacts set account_id = $2 where id = $1`;
    expect(await broken(move, [contact.id, two.id])).toBe('23514 sales_contacts_account_of_deals');
    const deferred = `set constraints data.kept_contacts_fit, data.deals_fit deferred`;
    expect(await broken(deferred)).toBe('no error, null rows');
  });

  it('of an account, a contact or an owner of another tenant', async () => {
    const neighbour = await platform.tenant();
    const account = await makeAccount(neighbour.api);
    const contact = await makeContact(neighbour.api);
    const owner = await platform.member(neighbour, 'Olive');
    expect(await set(open, 'account_id = $2', account.id)).toMatch(/^(23503|TOP04)/);
    expect(await set(open, 'primary_contact_id = $2', contact.id)).toMatch(/^(23503|TOP04)/);
    expect(await set(open, 'contact_ids = jsonb_build_array($2::text)', contact.id)).toMatch(/^(23503|TOP04)/);
    expect(await set(open, 'owner_id = $2', owner.id)).toBe(`${FOREIGN_KEY} sales_deals_owner_id_fkey`);
  });

  it('of an account or a contact that was deleted or merged', async () => {
    for (const [path, column, make] of [
      [ACCOUNTS, 'account_id', makeAccount],
      [CONTACTS, 'primary_contact_id', makeContact],
    ] as const) {
      const [gone, from, into] = [await make(tenant.api), await make(tenant.api), await make(tenant.api)];
      await tenant.api.delete(`${path}/${gone.id}`);
      await tenant.api.post(`${path}/${from.id}/merge`, { intoId: into.id });
      for (const { id } of [gone, from]) expect(await set(open, `${column} = $2`, id)).toBe('TOP04');
      expect(await set(open, `${column} = $2`, into.id)).toBe('no error, 1 rows');
    }
  });

  it('physically deleted or given a duplicate id', async () => {
    expect(await broken('delete from data.sales_deals where id = $1', [open])).toBe('42501');
    const refusal = '23505 sales_deals_tenant_id_reference_key';
    expect(await set(open, `reference = (select reference from data.sales_deals where id = $2)`, won)).toBe(refusal);
  });
});

describe('a record of sales is never', () => {
  const row = (table: string, id: string, assignment: string, ...values: unknown[]) =>
    broken(`update data.${table} set ${assignment} where id = $1`, [id, ...values]);
  const check = (table: string) => new RegExp(`^23514 ${table}_.*check`);

  it('an account blocked without its previous status, or merged without being archived', async () => {
    const { id } = await makeAccount(tenant.api);
    const other = await makeAccount(tenant.api);
    for (const assignment of [
      `lifecycle = 'blocked'`,
      `lifecycle_before = 'active'`,
      `lifecycle = 'gone'`,
      `domain = 'Acme.example'`,
      'credit_limit_minor = -1',
    ])
      expect(await row('sales_accounts', id, assignment)).toMatch(check('sales_accounts'));
    expect(await row('sales_accounts', id, 'merged_into_id = $2', other.id)).toMatch(check('sales_accounts'));
    expect(await row('sales_accounts', id, 'merged_into_id = id, archived_at = now()')).toMatch(
      check('sales_accounts'),
    );
    expect(await row('sales_accounts', id, 'parent_account_id = id')).toBe('23514 sales_accounts_parent_ring');
  });

  it('a primary contact without an account, or a second primary contact', async () => {
    const { id: accountId } = await makeAccount(tenant.api);
    await makeContact(tenant.api, { accountId, isPrimary: true });
    const { id } = await makeContact(tenant.api, { accountId });
    expect(await row('sales_contacts', id, 'is_primary = true')).toBe('23505 sales_contacts_primary');
    expect(await row('sales_contacts', id, 'is_primary = true, account_id = null')).toMatch(check('sales_contacts'));
  });

  it('a lead qualified without account, contact and deal, or disqualified without a reason', async () => {
    const { id } = await makeLead(tenant.api);
    expect(await row('sales_leads', id, `status = 'qualified', converted_at = now()`)).toMatch(check('sales_leads'));
    expect(await row('sales_leads', id, `status = 'disqualified', disqualified_at = now()`)).toMatch(
      check('sales_leads'),
    );
    expect(await row('sales_leads', id, 'score = 101')).toMatch(check('sales_leads'));
  });

  it('a product with a billing interval that is no subscription, or with stock that is not a physical good', async () => {
    const { id } = await makeProduct(tenant.api, { kind: 'goods' });
    for (const assignment of [`billing_interval = 'year'`, `kind = 'subscription'`, `kind = 'service', stocked = true`])
      expect(await row('sales_products', id, assignment)).toMatch(check('sales_products'));
  });
});

describe('a tenant never has', () => {
  it('two default pipelines, or a deleted or archived one', async () => {
    expect(await broken('update data.sales_pipelines set is_default = true where id = $1', [other])).toBe(
      '23505 sales_pipelines_default_key',
    );
    for (const column of ['deleted_at', 'archived_at'])
      expect(await broken(`update data.sales_pipelines set ${column} = now() where is_default`)).toMatch(
        /^23514 sales_pipelines_.*check/,
      );
  });
});
