import pg from 'pg';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, makeDeal, makePipeline, stage } from './deal-calls.js';

/** What can never be, tried past all code: as the API's own role, inside the tenant. */
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

/** The SQLSTATE and the constraint of what a statement breaks; `no error` when nothing stops it. */
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

it('lets a change through that breaks nothing, so that the refusals below mean something', async () => {
  expect(await set(open, `stage = 'demo', probability = 12, value_minor = 0`)).toBe('no error, 1 rows');
  expect(await set(lost, `deleted_at = now(), lost_reason = 'fit'`)).toBe('no error, 1 rows');
  expect(await set(won, `archived_at = now()`)).toBe('no error, 1 rows');
  expect(await set(open, `pipeline_id = $2, stage = 'elsewhere'`, other)).toBe('no error, 1 rows');
});

describe('a deal is never', () => {
  it('in a stage of another pipeline, or in one that does not exist', async () => {
    const refusal = `${FOREIGN_KEY} sales_deals_stage_of_pipeline`;
    expect(await set(open, `stage = 'elsewhere'`)).toBe(refusal);
    expect(await set(open, `stage = 'nowhere'`)).toBe(refusal);
    expect(await set(open, `pipeline_id = $2`, other)).toBe(refusal);
    expect(await set(open, `pipeline_id = gen_random_uuid()`)).toBe(refusal);
  });

  it('in a status that is not the category of its stage', async () => {
    const refusal = `${FOREIGN_KEY} sales_deals_stage_of_pipeline`;
    expect(await set(open, `status = 'won', probability = 100, closed_at = now()`)).toBe(refusal);
    expect(await set(open, `stage = 'won'`)).toBe(refusal);
    expect(await set(open, `stage = 'lost', probability = 0`)).toBe(refusal);
    expect(await set(won, `status = 'open', closed_at = null`)).toBe(refusal);
  });

  it('left behind by its stage: a stage in use cannot go or change its category', async () => {
    const refusal = `${FOREIGN_KEY} sales_deals_stage_of_pipeline`;
    const gone = `update data.sales_pipelines set stages = jsonb_path_query_array(stages, '$[*] ? (@.key != "won")')`;
    expect(await broken(`${gone} where is_default`)).toBe(refusal);
    expect(await broken(`delete from data.sales_pipeline_stages where stage = 'won'`)).toBe(refusal);
    expect(await broken(`update data.sales_pipeline_stages set category = 'lost' where stage = 'won'`)).toBe(refusal);
  });

  it('won without probability 100 and closing time, or in the trash', async () => {
    expect(await set(won, 'probability = 99')).toMatch(CHECK);
    expect(await set(won, 'closed_at = null')).toMatch(CHECK);
    expect(await set(won, 'deleted_at = now()')).toMatch(CHECK);
  });

  it('lost without a reason, a closing time and probability 0', async () => {
    expect(await set(lost, 'lost_reason = null')).toMatch(CHECK);
    expect(await set(lost, 'closed_at = null')).toMatch(CHECK);
    expect(await set(lost, 'probability = 1')).toMatch(CHECK);
  });

  it('open with a closing time or a reason for a loss', async () => {
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
  ])('outside its bounds: %s', async (assignment) => {
    expect(await set(open, assignment)).toMatch(CHECK);
  });

  it('of another tenant, nor does it refer to a deal or a pipeline of one', async () => {
    const neighbour = await platform.tenant();
    const foreign = await makeDeal(neighbour.api);
    expect(await set(open, 'tenant_id = $2', neighbour.id)).toMatch(/^42501/);
    expect(await set(foreign.id, 'name = name')).toBe('no error, 0 rows');
    expect(await set(open, 'renewal_of_deal_id = $2', foreign.id)).toBe(`${FOREIGN_KEY} sales_deals_renewal_of`);
    expect(await set(open, 'pipeline_id = $2', foreign.pipelineId)).toBe(
      `${FOREIGN_KEY} sales_deals_stage_of_pipeline`,
    );
  });

  it('really deleted, nor numbered like another', async () => {
    expect(await broken('delete from data.sales_deals where id = $1', [open])).toBe('42501');
    const refusal = '23505 sales_deals_tenant_id_reference_key';
    expect(await set(open, `reference = (select reference from data.sales_deals where id = $2)`, won)).toBe(refusal);
  });
});

describe('a tenant never has', () => {
  it('two default pipelines, or one in the trash or in the archive', async () => {
    expect(await broken('update data.sales_pipelines set is_default = true where id = $1', [other])).toBe(
      '23505 sales_pipelines_default_key',
    );
    for (const column of ['deleted_at', 'archived_at'])
      expect(await broken(`update data.sales_pipelines set ${column} = now() where is_default`)).toMatch(
        /^23514 sales_pipelines_.*check/,
      );
  });
});
