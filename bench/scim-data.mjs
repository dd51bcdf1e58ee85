// Tenants of the SCIM benchmark: users and groups as after a first synchronisation, inserted in sets.
import { generateKey } from '../dist/libs/auth/api-key.js';
import { SYSTEM_ROLE_IDS } from '../dist/libs/auth/roles.js';
import { uuidv7 } from '../dist/libs/kernel/id.js';

/** Positions counted by one block of data.scim_blocks. */
const BLOCK = 512;
/** A configuration may send 25 requests per second: with this many, the server is measured and not the limit. */
const CONFIGURATIONS = 400;
const SYSTEM = JSON.stringify({ type: 'system', id: null, name: 'bench' });

/** The id of the user at a position. */
export const userId = (place) => `019a0000-0000-7000-8000-${place.toString(16).padStart(12, '0')}`;
/** The id of the group at a position; the first one is the large one. */
export const groupId = (place) => `019b0000-0000-7000-8000-${place.toString(16).padStart(12, '0')}`;
const ID = (prefix) => `('${prefix}-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid`;

/**
 * Creates a tenant with users `user1@bench.example` and so on, groups, and members of the first group, which grants a
 * role. Returns its tokens.
 */
export async function addScimTenant(client, sealer, slug, { users, groups, members }) {
  const tenantId = uuidv7();
  await client.query(
    `insert into directory.tenants (id, slug, name, plan, reads_per_minute, writes_per_minute, created_at)
     values ($1, $2, $2, 'enterprise', 2000000000, 2000000000, now())`,
    [tenantId, slug],
  );
  await client.query(sealer.firstKey(tenantId));
  const workspaceId = uuidv7();
  await client.query(
    `insert into data.workspaces (tenant_id, id, name, key, is_default, created_at)
     values ($1, $2, 'General', 'GENERAL', true, now())`,
    [tenantId, workspaceId],
  );
  const configurations = [];
  for (let i = 0; i < CONFIGURATIONS; i++) configurations.push(await addConfiguration(client, tenantId));
  const config = configurations[0].id;
  await client.query('begin');
  await client.query('set local session_replication_role = replica'); // triggers and checks run per row
  for (const text of [...usersOf(), ...groupsOf()])
    await client.query(text.replaceAll('$users', users).replaceAll('$groups', groups).replaceAll('$members', members), [
      tenantId,
      config,
      SYSTEM_ROLE_IDS.viewer,
      workspaceId,
      SYSTEM,
    ]);
  await client.query('commit');
  return configurations.map(({ token }) => token);
}

async function addConfiguration(client, tenantId) {
  const id = uuidv7();
  const { text: token, keyId, hash } = generateKey('scim_token');
  await client.query(
    `insert into data.scim_configs (tenant_id, id, name, status, default_role_ids, token_last4, created_at, created_by,
       updated_at) values ($1, $2, 'bench', 'active', $3, $4, now(), $5, now())`,
    [tenantId, id, [SYSTEM_ROLE_IDS.member], token.slice(-4), SYSTEM],
  );
  await client.query(
    `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes, allow_protected,
       allowed_cidrs, created_at) values ($1, $2, 'scim_token', $3, $1, 'bench', $4, '{}', false, '{}', now())`,
    [id, tenantId, keyId, hash],
  );
  return { id, token };
}

// Each statement takes all parameters, so that they share one list of values.
const ALL = `(select $1::uuid as tenant, $2::uuid as config, $3::uuid as role, $4::uuid as workspace, $5::jsonb as who) p`;

function usersOf() {
  const people = `${ALL}, generate_series(1, $users) i`;
  const resource = `jsonb_build_object('userName', 'user' || i || '@bench.example', 'externalId', 'x' || i,
    'displayName', 'user ' || i, 'name', jsonb_build_object('familyName', 'name ' || i, 'givenName', 'user'),
    'emails', jsonb_build_array(jsonb_build_object('value', 'user' || i || '@bench.example', 'type', 'work', 'primary', true)))`;
  return [
    `insert into data.memberships (tenant_id, id, email, name, status, source, created_at)
     select tenant, ${ID('019a0000')}, 'user' || i || '@bench.example', 'user ' || i, 'active', 'scim', now() from ${people}`,
    `insert into data.role_assignments (tenant_id, membership_id, role_id, granted_at)
     select tenant, ${ID('019a0000')}, role, now() from ${people}`,
    `insert into data.workspace_members (tenant_id, workspace_id, membership_id, workspace_role, added_at, added_by)
     select tenant, workspace, ${ID('019a0000')}, 'member', now(), who from ${people}`,
    `insert into data.scim_users (tenant_id, id, config_id, seq, user_name_key, external_id, display_name_key, active, data,
       keys, created_at, updated_at)
     select tenant, ${ID('019a0000')}, config, i, 'user' || i || '@bench.example', 'x' || i, 'user ' || i, true, ${resource},
       ${resource}, now(), now() from ${people}`,
    `insert into data.scim_user_emails (tenant_id, user_id, value_key)
     select tenant, ${ID('019a0000')}, 'user' || i || '@bench.example' from ${people}`,
    ...counted('user', '$users'),
    ...[
      ['seat', 'tenant', '$users'],
      ['role', 'role', '$users'],
      ['workspace', 'workspace', '$users'],
      ['scim_user', 'config', '$users'],
      ['scim_group', 'config', '$groups'],
    ].map(
      ([kind, subject, count]) => `insert into data.member_counts (tenant_id, kind, subject_id, slot, members)
        select tenant, '${kind}', ${subject}, gen_random_uuid(), ${count} from ${ALL}`,
    ),
  ];
}

function groupsOf() {
  const all = `${ALL}, generate_series(1, $groups) i`;
  const joined = `${ALL}, generate_series(1, $members) i`;
  const resource = `jsonb_build_object('displayName', 'group ' || i)`;
  return [
    `insert into data.scim_groups (tenant_id, id, config_id, seq, display_name, display_name_key, data, keys, created_at,
       updated_at)
     select tenant, ${ID('019b0000')}, config, i, 'group ' || i, 'group ' || i, ${resource}, ${resource}, now(), now()
     from ${all}`,
    ...counted('group', '$groups'),
    `insert into data.scim_mappings (tenant_id, config_id, group_key, group_name, position, role_ids, workspace_ids)
     select tenant, config, 'group 1', 'group 1', 0, array[role], '{}' from ${ALL}`,
    `insert into data.scim_group_members (tenant_id, group_id, user_id)
     select tenant, '${groupId(1)}', ${ID('019a0000')} from ${joined}`,
    `insert into data.role_assignments (tenant_id, membership_id, role_id, source, granted_at)
     select tenant, ${ID('019a0000')}, role, 'scim:' || config || ':${groupId(1)}', now() from ${joined}`,
  ];
}

/** The counts that the triggers of a table would have kept. */
function counted(resource, count) {
  return [
    `insert into data.scim_sequences (tenant_id, resource, last) select tenant, '${resource}', ${count} from ${ALL}`,
    `insert into data.scim_blocks (tenant_id, resource, block, live)
     select tenant, '${resource}', i / ${BLOCK}, count(*) from ${ALL}, generate_series(1, ${count}) i group by 1, 3`,
  ];
}
