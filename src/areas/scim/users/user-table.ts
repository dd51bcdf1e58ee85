import type { Column, FilterTable, Relation } from '#libs/scim-language/filter-table.js';

const COLUMNS: [string, Column][] = [
  ['id', { sql: 'u.id', type: 'uuid' }],
  ['userName', { sql: 'u.user_name_key', type: 'text' }],
  ['externalId', { sql: 'u.external_id', type: 'text' }],
  ['displayName', { sql: 'u.display_name_key', type: 'text' }],
  ['active', { sql: 'u.active', type: 'boolean' }],
  ['meta.resourceType', { sql: `'User'::text`, type: 'text' }],
  ['meta.created', { sql: 'u.created_at', type: 'instant' }],
  ['meta.lastModified', { sql: 'u.updated_at', type: 'instant' }],
];

const GROUPS: Relation = {
  from: `data.scim_group_members p join data.scim_groups g
    on g.tenant_id = p.tenant_id and g.id = p.group_id and g.deleted_at is null`,
  where: 'p.tenant_id = u.tenant_id and p.user_id = u.id',
  columns: new Map<string, Column>([
    ['value', { sql: 'p.group_id', type: 'uuid' }],
    ['display', { sql: 'g.display_name_key', type: 'text' }],
  ]),
};

/** Maps user attributes to SQL for filtering and sorting; `$1` is the tenant. */
export const USER_TABLE: FilterTable = {
  document: 'u.keys',
  columns: new Map(COLUMNS),
  relations: new Map([['groups', GROUPS]]),
  // As an array, so that users are looked up by key regardless of the planner's estimate for the address.
  lookups: new Map([
    [
      'emails',
      (value) =>
        `u.id = any(array(select e.user_id from data.scim_user_emails e where e.tenant_id = (select $1::uuid) and e.value_key = ${value}))`,
    ],
  ]),
};
