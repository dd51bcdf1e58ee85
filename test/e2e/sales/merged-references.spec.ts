import { Database } from '#libs/database/database.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { toAttach } from '../../harness/files.js';
import { adminPool } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { readTenantTables, type TenantTable } from '../../tenancy/tenant-tables.js';
import { loadSample, ONBOARDING } from '../admin/sample-calls.js';
import { expectStatus } from '../finance/payment-calls.js';

/*
 * Every column that can contain the id of a record that may be merged either follows the merge, which is tried here, or
 * is listed as one that stays. A new column is neither, and fails.
 */

const MERGEABLE: Record<string, { table: string; path: string }> = {
  'sales.account': { table: 'sales_accounts', path: '/api/v1/sales/accounts' },
  'sales.contact': { table: 'sales_contacts', path: '/api/v1/sales/contacts' },
  'talent.candidate': { table: 'talent_candidates', path: '/api/v1/talent/candidates' },
};
/** Columns that keep the merged record on purpose, or that never name one. */
const STAYS: Record<string, RegExp[]> = {
  'says what was merged': [/\.merged_into_id$/],
  'follows from other columns, by triggers': [
    /^(custom_field_values|external_refs|member_counts|record_tags)\./,
    /^(sales_account_roles|sales_contact_emails|sales_deal_contacts|talent_candidate_skills)\./,
  ],
  'says what happened': [
    /^(access_review|audit_|automation_runs|event|evidence_|idempotency_keys|record_transitions|sample_records|scim_log)/,
    /^(finance_ledger_entries|metric_|posture_|report_results|retention_(runs|tombstones)|sla_|slo)/,
    /^(job_queue\.|mails|request_|webhook_(?!endpoints))/,
    /^finance_(credit_notes|invoices)\.(customer|line_items|seller|sent_to|tax_breakdown|warnings)$/,
    /^proposals_proposals\.(acceptance|accepted_line_items|sent_to|tax_breakdown)$/,
    /^sales_handoffs\.(steps|summary)$/,
    /^documents_documents\.(frozen|target)$/,
  ],
  'is what was asked for or approved; where it needs the merged record it fails with a reason': [
    /^(ai_|data_export_(parts|requests)\.|export_(jobs|parts)\.|home_approvals\.|imports?(_faults|_records)?\.|jobs\.|report_runs\.|sales_handoffs\.promise$|talent_mappings\.)/,
  ],
  'names a candidate who was hired, and is not merged into others': [/^people_employees\.candidate_id$/],
  'names members, keys, roles or workspaces': [
    /\.((assignee|default_role|interviewer|member|recipient|recruiter|role|workspace)_ids|guarantor|mentions|sender)$/,
    /\.(owner_id|workspace_id|manager_id|department_id|accepted_by|added_by|granted_by|invited_by|placed_by|published_by|released_by)$/,
    /\.(submitted_by|submitted_by_person|user_id|interviewer_id|principal_id|role_id|schedule_key_id|client_id)$/,
  ],
  'names rows of other tables': [
    /^documents_documents\.(content_id|template_id)$/,
    /^(documents_file(s|_versions)\.content_id$|file_(content_uses|scans)\.|finance_invoice_sources|data_keys|public_links|scim_)/,
    /\.(accepted_proposal_ids|blocked_by_ids|invoice_line_id|mapping_id|pipeline_id)$/,
  ],
  'is the id of something elsewhere': [/\.(external_refs|national_id|provider_id|tax_id)$/],
  'contains names of fields': [
    /^(reports|saved_views)\.(columns|dimensions|measures|schedule|sort)$/,
    /^sales_handoff(s|_templates)\.required_fields$/,
  ],
  'contains no id of a record': [
    /\.(tags|location|skills|emails|phones|links|consent|layout|checklist|checklist_items|items|line_items|roles)$/,
    /\.(address|billing_address|shipping_address|emergency_contacts|work_schedule|working_hours|holidays|notifications)$/,
    /\.(recurring|prices|stages|ratings|salary_expectation|salary_range|allocations|used|gates)$/,
    /\.(e_invoice|render_error|schema_versions|variables_schema)$/,
    /^(intelligence_agents|intelligence_agent_versions|settings_custom_fields|tenant_onboarding|work_project_templates)\./,
    /^(sales_handoff_templates|talent_mapping_templates)\./,
  ],
};
/** Columns that name both afterwards: a hold also keeps what is left of the merged record. */
const NAMES_BOTH = /^(legal_holds\.scope|legal_hold_ids\.named_id)$/;
/** Paths and bodies of records that name one, where rules of the database do not let any row do so. */
const RULED: Record<string, (id: string) => [path: string, body: object][]> = {
  'sales.account': (id) => [
    ['/api/v1/sales/deals', { accountId: id }],
    ['/api/v1/sales/contacts', { accountId: id }],
  ],
  'sales.contact': (id) => [['/api/v1/sales/deals', { primaryContactId: id, contactIds: [id] }]],
  'talent.candidate': () => [],
};
const ANY_ID = /^(uuid|uuid\[\]|jsonb?)$/;
/** Rows that can name such a record, where not all can. */
const ROWS: Record<string, string> = { sales_leads: 'and t.converted_at is not null' };

interface Place {
  table: string;
  column: string;
}

let platform: TestPlatform;
let admin: ReturnType<typeof adminPool>;
let tenant: TestTenant;
let tables: TenantTable[];
/** Columns that named a record before it was merged, and no longer do. */
const followed = new Set<string>();

beforeAll(async () => {
  platform = await startPlatform();
  admin = adminPool(platform.database.adminUrl, 1);
  tables = await readTenantTables(admin);
  tenant = await platform.tenant();
  await tenant.api.get(ONBOARDING);
  await loadSample(tenant.api);
});
afterAll(async () => {
  await admin.end();
  await platform.close();
});

const post = async <T = { id: string }>(path: string, body: object = {}): Promise<T> => {
  const answer = await tenant.api.post<T>(path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.body;
};
const nameOf = ({ table, column }: Place): string => `${table}.${column}`;
const stays = (place: Place): boolean =>
  Object.values(STAYS)
    .flat()
    .some((columns) => columns.test(nameOf(place)));

/** Columns that can contain the id of a record that may be merged: all ids but those of other tables. */
function placesOfIds(): Place[] {
  const targets = new Set(Object.values(MERGEABLE).map(({ table }) => table));
  return tables.flatMap(({ name: table, columns, references }) =>
    columns
      .filter(({ name, type }) => ANY_ID.test(type) || (type === 'text' && name.endsWith('_id')))
      .filter(({ name }) => !['tenant_id', 'id', 'created_by', 'updated_by'].includes(name))
      .filter(({ name }) => {
        const pointed = references.filter((each) => each.targets[each.columns.indexOf(name)] === 'id');
        return pointed.length === 0 || pointed.some((each) => targets.has(each.table));
      })
      .map(({ name: column }) => ({ table, column })),
  );
}

/** The columns that name a record, apart from its own row. */
async function placesNaming(id: string): Promise<Place[]> {
  const found: Place[] = [];
  for (const [table, places] of Map.groupBy(placesOfIds(), (place) => place.table)) {
    const names = places.map(
      ({ column }) => `coalesce(bool_or(t.${column}::text like '%${id}%'), false) as "${column}"`,
    );
    const own = Object.values(MERGEABLE).some((each) => each.table === table) ? `and t.id <> '${id}'` : '';
    const { rows } = await admin.query<Record<string, boolean>>(
      `select ${names.join(', ')} from data.${table} t where t.tenant_id = '${tenant.id}' ${own}`,
    );
    found.push(...places.filter(({ column }) => rows[0]![column]));
  }
  return found;
}

/** Columns with a foreign key to the records of a table, and those of declared references, which may be lists. */
function columnsTo(target: string): (Place & { isList: boolean })[] {
  const keys = tables.flatMap(({ name: table, references }) =>
    references
      .filter((each) => each.table === target)
      .map(({ columns, targets }) => ({ table, column: columns[targets.indexOf('id')]!, isList: false })),
  );
  const { source } = platform.app.get(Database);
  const declared = platform.app
    .get(ResourceRegistry)
    .everything()
    .flatMap(({ definition, service }) =>
      Object.entries({ ...definition.references, ...definition.named })
        .filter(([, reference]) => reference.table === `data.${target}`)
        .flatMap(([field]) => {
          const column = source.getMetadata(definition.entity).findColumnWithPropertyName(field);
          const table = service.table.replace('data.', '');
          return column ? [{ table, column: column.databaseName, isList: column.type === 'jsonb' }] : [];
        }),
    );
  const unique = new Map([...keys, ...declared].map((each) => [nameOf(each), each]));
  return [...unique.values()].filter((each) => !stays(each));
}

/** Lets some row of the sample data name the record in a column; the rules of the tables are not asked. */
async function pointAt(id: string, { table, column, isList }: Place & { isList: boolean }): Promise<void> {
  const value = isList ? `'["${id}"]'::jsonb` : `'${id}'::uuid`;
  await admin.query(`set session_replication_role = replica;
    update data.${table} t set ${column} = ${value} where t.tenant_id = '${tenant.id}' and t.ctid = (
      select t.ctid from data.${table} t where t.tenant_id = '${tenant.id}' and t::text not like '%${id}%' ${ROWS[table] ?? ''} order by t.ctid limit 1);
    set session_replication_role = origin`);
}

/** Names a record in the places that can name a record of any type. */
async function nameEverywhere(object: string, id: string): Promise<void> {
  const path = `${MERGEABLE[object]!.path}/${id}`;
  const key = `of${object.split('.')[1]}`;
  await post('/api/settings/custom-fields', {
    recordType: 'sales.product',
    key,
    label: 'Origin',
    fieldType: 'reference',
    target: object,
  });
  const [product, trashed] = [await post(PRODUCTS, { name: 'Licence' }), await post(PRODUCTS, { name: 'Old licence' })];
  for (const each of [product, trashed])
    expectStatus(await tenant.api.patch(`${PRODUCTS}/${each.id}`, { customFields: { [key]: id } }), 200);
  expectStatus(await tenant.api.delete(`${PRODUCTS}/${trashed.id}`), 200);
  for (const [other, body] of RULED[object]!(id)) await post(other, { name: 'Related', ...body });
  await post('/api/v1/work/tasks', { name: 'Call', relatedTo: { object, id } });
  await post(`${path}/comments`, { body: 'A remark' });
  await post(`${path}/attachments`, await toAttach(tenant.api));
  const member = await platform.member(tenant, 'Ana');
  await post(`${path}/watchers`, { membershipId: member.id });
  await post(`${path}/links`, { relation: 'relates_to', target: { object: 'sales.product', id: product.id } });
  const place = { object, objectId: id, principal: { type: 'membership', id: member.id } };
  await post('/api/admin/resource-permissions', { ...place, level: 'view', effect: 'allow', reason: 'Project' });
  expectStatus(await member.api.send('PUT', '/api/home/favourites', { items: [{ object, id }] }), 200);
  const filter = { ids: id };
  expectStatus(await member.api.post('/api/settings/saved-views', { name: 'Mine', recordType: object, filter }), 201);
  await post('/api/v1/reports/reports', {
    ...{ name: `Own ${object}`, recordType: object, filter },
    ...{ dimensions: [], measures: [{ aggregate: 'count' }] },
  });
  const schedule = {
    name: `Own ${object}`,
    type: object,
    query: filter,
    format: 'csv',
    cron: '0 7 * * *',
    timeZone: 'UTC',
  };
  expectStatus(await member.api.post('/api/exports/schedules', schedule), 201);
  await post(RETENTION, { object, retainDays: 3_000, filter });
  await post(RETENTION, { action: 'place_hold', name: 'Dispute', reason: 'Lawsuit', scope: { objectIds: [id] } });
  const condition = { field: 'accountId', op: 'eq', value: id };
  await post('/api/webhooks/endpoints', {
    url: 'https://127.0.0.1/hook',
    eventTypes: ['sales.deal.*'],
    filter: condition,
  });
  await admin.query(`update data.tenant_settings set values = values - 'gates' where tenant_id = $1`, [tenant.id]);
  const gates = [{ key: 'deal.win', effect: 'require_approval', conditions: [condition] }];
  expectStatus(await tenant.api.patch('/api/admin/settings', { gates }), 200);
  await admin.query(
    `update data.checklists set subject = $2 where tenant_id = $1
       and ctid = (select ctid from data.checklists where tenant_id = $1 order by ctid limit 1)`,
    [tenant.id, { object, id }],
  );
  await admin.query(
    `insert into data.notifications (tenant_id, id, member_id, kind, subject_type, subject_id, title, url, count, in_app,
       email, created_at, updated_at)
     values ($1, gen_random_uuid(), $2, 'mention', $3, $4, 'Seen', $5, 1, true, 'none', now(), now())`,
    [tenant.id, member.id, object, id, path],
  );
}

const PRODUCTS = '/api/v1/sales/products';
const RETENTION = '/api/admin/retention';

test.each(Object.entries(MERGEABLE))('a merge moves everything that names a %s', async (object, { table, path }) => {
  const [from, into] = [await post(path, { name: 'Ada' }), await post(path, { name: 'Ada L.' })];
  await nameEverywhere(object, from.id);
  const named = (await placesNaming(from.id)).map(nameOf);
  for (const each of columnsTo(table)) if (!named.includes(nameOf(each))) await pointAt(from.id, each);
  const before = (await placesNaming(from.id)).filter((place) => !stays(place));
  expect(
    columnsTo(table)
      .map(nameOf)
      .filter((name) => !before.map(nameOf).includes(name)),
  ).toEqual([]);
  const merged = await tenant.api.post(`${path}/${from.id}/merge`, { intoId: into.id });
  expect([merged.status, merged.text]).toEqual([200, expect.any(String)]);
  const left = (await placesNaming(from.id)).filter((place) => !stays(place)).map(nameOf);
  expect(left.filter((name) => !NAMES_BOTH.test(name))).toEqual([]);
  const after = (await placesNaming(into.id)).map(nameOf);
  expect(before.map(nameOf).filter((name) => !after.includes(name))).toEqual([]);
  for (const place of before) followed.add(nameOf(place));
});

test('no other column can name a record', () => {
  const all = placesOfIds();
  // Those of all types follow as those of products do.
  const others = all.filter(
    (place) => place.column !== 'custom_fields' && !stays(place) && !followed.has(nameOf(place)),
  );
  expect(others.map(nameOf)).toEqual([]);
  const unused = Object.values(STAYS)
    .flat()
    .filter((columns) => !all.some((place) => columns.test(nameOf(place))));
  expect(unused).toEqual([]);
});
