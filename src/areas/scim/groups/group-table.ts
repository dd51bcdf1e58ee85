import type { Column, FilterTable, Relation } from '#libs/scim-language/filter-table.js';

const COLUMNS: [string, Column][] = [
  ['id', { sql: 'g.id', type: 'uuid' }],
  ['displayName', { sql: 'g.display_name_key', type: 'text' }],
  ['externalId', { sql: 'g.external_id', type: 'text' }],
  ['meta.resourceType', { sql: `'Group'::text`, type: 'text' }],
  ['meta.created', { sql: 'g.created_at', type: 'instant' }],
  ['meta.lastModified', { sql: 'g.updated_at', type: 'instant' }],
  ['meta.version', { sql: `('W/"' || g.version || '"')`, type: 'text' }],
];

/** Group members, excluding deleted users. */
export const MEMBERS: Relation = {
  from: `data.scim_group_members p join data.scim_users u
    on u.tenant_id = p.tenant_id and u.id = p.user_id and u.deleted_at is null`,
  where: 'p.tenant_id = g.tenant_id and p.group_id = g.id',
  columns: new Map<string, Column>([
    ['value', { sql: 'p.user_id', type: 'uuid' }],
    ['display', { sql: 'coalesce(u.display_name_key, u.user_name_key)', type: 'text' }],
    ['type', { sql: `'user'::text`, type: 'text' }],
  ]),
};

/** Maps group attributes to SQL for filtering and sorting; `$1` is the tenant. */
export const GROUP_TABLE: FilterTable = {
  document: 'g.keys',
  columns: new Map(COLUMNS),
  relations: new Map([['members', MEMBERS]]),
  lookups: new Map([
    [
      'members',
      (value) =>
        `g.id = any(array(select p.group_id from data.scim_group_members p where p.tenant_id = (select $1::uuid) and p.user_id = ${value}))`,
    ],
  ]),
};
