import fc from 'fast-check';
import { composed } from '#libs/access/limits.js';
import { piecesOf } from '#libs/access/pieces.js';
import { guarded } from '#libs/access/guard.js';
import { Authorities } from '#libs/auth/authority.js';
import { LEVELS, type Level } from '#libs/auth/levels.js';
import { PermissionSet } from '#libs/auth/permissions.js';
import { MemberRights } from '#libs/auth/rights.js';
import { Database } from '#libs/database/database.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { adminPool } from '../harness/database.js';
import { startPlatform } from '../harness/platform.js';
import { createMember, defaultWorkspaceOf } from '../harness/tenants.js';

/** Random policies: the compiled condition must match a direct evaluation of the rules. */
const CASES = Number(process.env['ACCESS_CASES'] ?? 150);
const PERMISSIONS = { 'deals:read': 1, 'deals:write': 3, 'deals:close': 4, 'deals:delete': 4 } as const;
type Permission = keyof typeof PERMISSIONS;
const NAMES = Object.keys(PERMISSIONS) as Permission[];
const REACHES = ['own', 'workspace', 'tenant'] as const;
const ROLES = [uuidv7(), uuidv7(), uuidv7()];
const KEY = uuidv7();

const platform = await startPlatform();
const admin = adminPool(platform.database.adminUrl, 1);
const tenant = await platform.tenant();
const general = await defaultWorkspaceOf(admin, tenant.id);
const workspaces = [general, uuidv7(), uuidv7()];
const me = await createMember(admin, tenant.id, 'Somebody', { roles: [], workspaces: {} });
const other = await createMember(admin, tenant.id, 'Other', { roles: [], workspaces: {} });
const records: { id: string; owner: string | null; workspace: string | null }[] = [];
afterAll(async () => {
  await admin.end();
  await platform.close();
});

beforeAll(async () => {
  for (const id of workspaces.slice(1))
    await admin.query(`insert into data.workspaces (tenant_id, id, name, created_at) values ($1, $2, $3, now())`, [
      tenant.id,
      id,
      `Workspace ${id}`,
    ]);
  for (const id of ROLES)
    await admin.query(
      `insert into data.roles (tenant_id, id, key, name, permissions, created_at, updated_at)
       values ($1, $2::uuid, 'r' || replace($2::uuid::text, '-', ''), $2::uuid::text, '{}', now(), now())`,
      [tenant.id, id],
    );
  for (const owner of [me, other, null])
    for (const workspace of [null, ...workspaces.slice(1)]) {
      const { body } = await tenant.api.post('/api/v1/sales/deals', {
        name: 'Deal',
        ownerId: owner,
        workspaceId: workspace,
      });
      records.push({ id: String(body['id']), owner, workspace });
    }
});

interface Policy {
  scopes: Permission[];
  /** For each role: whether the member has it, and what it grants. */
  roles: { held: boolean; grants: { permission: Permission; reach: (typeof REACHES)[number] }[] }[];
  places: ('none' | 'lead' | 'member' | 'guest')[];
  grants: {
    target: number;
    principal: number;
    level: Level;
    effect: 'allow' | 'deny';
    ends: 'never' | 'later' | 'over';
  }[];
}

const TARGETS = 9 + workspaces.length;
const principals = [
  { type: 'membership', id: me },
  { type: 'membership', id: other },
  ...ROLES.map((id) => ({ type: 'role', id })),
  ...workspaces.map((id) => ({ type: 'workspace', id })),
  { type: 'api_key', id: KEY },
];
const policies: fc.Arbitrary<Policy> = fc.record({
  scopes: fc.subarray(NAMES, { minLength: 1 }),
  roles: fc.array(
    fc.record({
      held: fc.boolean(),
      grants: fc.array(fc.record({ permission: fc.constantFrom(...NAMES), reach: fc.constantFrom(...REACHES) }), {
        maxLength: 3,
      }),
    }),
    { minLength: ROLES.length, maxLength: ROLES.length },
  ),
  places: fc.array(fc.constantFrom('none' as const, 'lead' as const, 'member' as const, 'guest' as const), {
    minLength: workspaces.length,
    maxLength: workspaces.length,
  }),
  grants: fc.uniqueArray(
    fc.record({
      target: fc.nat({ max: TARGETS - 1 }),
      principal: fc.nat({ max: principals.length - 1 }),
      level: fc.constantFrom(...LEVELS),
      effect: fc.constantFrom('allow' as const, 'deny' as const),
      ends: fc.constantFrom('never' as const, 'later' as const, 'over' as const),
    }),
    { maxLength: 8, selector: ({ target, principal }) => `${target} ${principal}` },
  ),
});

/** Direct evaluation of the rules: denial, roles with their reach, allowance, otherwise no. */
function reference(policy: Policy, record: (typeof records)[number], permission: Permission): boolean {
  if (!policy.scopes.includes(permission)) return false;
  const inside = workspaces.filter((_, i) => ['lead', 'member'].includes(policy.places[i]!));
  const held = ROLES.filter((_, i) => policy.roles[i]!.held);
  const workspace = record.workspace ?? general;
  const wanted = PERMISSIONS[permission];
  const live = policy.grants.filter(({ target, principal, effect, ends }) => {
    const whom = [me, ...held, ...inside, ...(effect === 'deny' ? [KEY] : [])];
    const isMeant = target < 9 ? records[target] === record : workspaces[target - 9] === workspace;
    return ends !== 'over' && isMeant && whom.includes(principals[principal]!.id);
  });
  const rank = (level: Level) => LEVELS.indexOf(level) + 1;
  if (live.some(({ effect, level }) => effect === 'deny' && rank(level) <= wanted)) return false;
  const reaches = policy.roles.filter(({ held: has }) => has).flatMap(({ grants }) => grants);
  for (const { permission: given, reach } of reaches)
    if (given === permission) {
      if (reach === 'tenant' || record.owner === me) return true;
      if (reach === 'workspace' && inside.includes(workspace)) return true;
    }
  return live.some(({ effect, level }) => effect === 'allow' && rank(level) >= wanted);
}

async function enact({ roles, places, grants }: Policy): Promise<void> {
  const text = `
    delete from data.role_assignments where tenant_id = '${tenant.id}';
    delete from data.workspace_members where tenant_id = '${tenant.id}';
    delete from data.resource_grants where tenant_id = '${tenant.id}';
    ${roles
      .map(({ held, grants: given }, i) => {
        const texts = given.map(({ permission, reach }) => `'${permission}@${reach}'`);
        return `update data.roles set permissions = array[${texts.join(', ')}]::text[] where id = '${ROLES[i]!}';
          ${held ? `insert into data.role_assignments values ('${tenant.id}', '${me}', '${ROLES[i]!}', 'manual', now());` : ''}`;
      })
      .join('')}
    ${places
      .map((place, i) =>
        place === 'none'
          ? ''
          : `insert into data.workspace_members values
              ('${tenant.id}', '${workspaces[i]!}', '${me}', '${place}', 'manual', now(), '{}');`,
      )
      .join('')}
    ${grants
      .map(({ target, principal, level, effect, ends }) => {
        const [object, workspace] =
          target < 9 ? [`'${records[target]!.id}'`, 'null'] : ['null', `'${workspaces[target - 9]!}'`];
        const { type, id } = principals[principal]!;
        const end = { never: 'null', later: `now() + interval '1 hour'`, over: `now() - interval '1 second'` }[ends];
        return `insert into data.resource_grants (tenant_id, id, object, object_id, workspace_id, principal_type,
            principal_id, level, effect, expires_at, granted_by, created_at, updated_at)
          values ('${tenant.id}', '${uuidv7()}', 'sales.deal', ${object}, ${workspace}, '${type}', '${id}', '${level}',
            '${effect}', ${end}, '{}', now(), now());`;
      })
      .join('')}`;
  await admin.query(text);
}

it(`matches the rules for ${CASES} policies`, async () => {
  const database = platform.app.get(Database);
  const authorities = platform.app.get(Authorities);
  const facts = { id: tenant.id, slug: tenant.slug, plan: 'enterprise', currency: 'USD', epoch: '1' };
  await fc.assert(
    fc.asyncProperty(policies, async (policy) => {
      await enact(policy);
      await runAsSystem(facts, 'properties', uuidv7(), async () => {
        const { authority, grants } = await authorities.read(me, [KEY]);
        const holder = { authority, permissions: new MemberRights(new PermissionSet(policy.scopes), grants) };
        for (const permission of NAMES) {
          const guard = composed(piecesOf(holder, { type: 'sales.deal' }, permission));
          const rows = await database.read<{ id: string }>(
            guarded('select t.id from data.sales_deals t where t.tenant_id = $1', [tenant.id], guard, ' order by t.id'),
          );
          const expected = records.filter((record) => reference(policy, record, permission)).map(({ id }) => id);
          expect(rows.map(({ id }) => id)).toEqual(expected.sort());
        }
      });
    }),
    { numRuns: CASES, endOnFailure: true },
  );
});
