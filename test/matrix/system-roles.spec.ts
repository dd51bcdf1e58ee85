import { permissionNames } from '#libs/auth/permissions.js';
import { SYSTEM_ROLE_IDS, SYSTEM_ROLES } from '#libs/auth/roles.js';
import { operationPrefix, pathOf } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { Client } from '../harness/client.js';
import { callOf } from './fixtures.js';
import { type Running, sceneOf, send, startRunning } from './running.js';

/**
 * The permissions of the system roles: ● for the tenant, ○ for own workspaces, "own" for own records, · for none.
 * Owners hold everything, administrators everything except owner-only permissions. Only implemented features are
 * listed; the parts of `settings:manage` for billing and developers are separate permissions.
 */
const ADMINISTRATION = `
  |                             | manager | member | viewer | auditor | billing | developer |
  | access-reviews:read         | ○       | ·      | ·      | ●       | ·       | ·         |
  | access-reviews:manage       | ·       | ·      | ·      | ·       | ·       | ·         |
  | access-reviews:decide       | own     | own    | ·      | own     | ·       | ·         |
  | audit:read                  | ○       | ·      | ·      | ●       | ·       | own       |
  | audit:export                | ·       | ·      | ·      | ●       | ·       | ·         |
  | evidence:export             | ·       | ·      | ·      | ●       | ·       | ·         |
  | data-exports:request        | ·       | ·      | ·      | ·       | ·       | ·         |
  | exports:approve             | ·       | ·      | ·      | ·       | ·       | ·         |
  | delivery:read               | ○       | ·      | ·      | ●       | ·       | ·         |
  | delivery:manage             | ○       | ·      | ·      | ·       | ·       | ·         |
  | document-templates:read     | ●       | ●      | ●      | ●       | ●       | ●         |
  | document-templates:write    | ●       | ·      | ·      | ·       | ·       | ·         |
  | handoffs:read               | ●       | ○      | ○      | ●       | ●       | ·         |
  | handoffs:write              | ●       | ○      | ·      | ·       | ·       | ·         |
  | handoffs:accept             | ●       | ·      | ·      | ·       | ·       | ·         |
  | handoff-templates:manage    | ●       | ·      | ·      | ·       | ·       | ·         |
  | members:read                | ●       | ○      | ○      | ●       | ●       | ●         |
  | members:invite              | ○       | ·      | ·      | ·       | ·       | ·         |
  | members:manage              | ·       | ·      | ·      | ·       | ·       | ·         |
  | sessions:revoke             | ○       | own    | own    | ·       | ·       | ·         |
  | security:read               | ·       | ·      | ·      | ●       | ·       | ●         |
  | security:assess             | ·       | ·      | ·      | ●       | ·       | ·         |
  | security:manage             | ·       | ·      | ·      | ·       | ·       | ·         |
  | mfa:manage                  | ·       | ·      | ·      | ·       | ·       | ·         |
  | observability:read          | ·       | ·      | ·      | ●       | ·       | ●         |
  | onboarding:read             | ●       | ·      | ·      | ●       | ·       | ●         |
  | onboarding:manage           | ·       | ·      | ·      | ·       | ·       | ·         |
  | outbox:read                 | ·       | ·      | ·      | ●       | ·       | ●         |
  | outbox:manage               | ·       | ·      | ·      | ·       | ·       | ●         |
  | overview:read               | ●       | ·      | ·      | ●       | ●       | ●         |
  | performance:read            | ·       | ·      | ·      | ●       | ·       | ●         |
  | resource-permissions:read   | ○       | ·      | ·      | ●       | ·       | ·         |
  | resource-permissions:manage | ○       | ·      | ·      | ·       | ·       | ·         |
  | retention:read              | ·       | ·      | ·      | ●       | ·       | ·         |
  | retention:manage            | ·       | ·      | ·      | ·       | ·       | ·         |
  | legal-holds:manage          | ·       | ·      | ·      | ·       | ·       | ·         |
  | roles:read                  | ●       | ·      | ·      | ●       | ·       | ●         |
  | roles:manage                | ·       | ·      | ·      | ·       | ·       | ·         |
  | scim:read                   | ·       | ·      | ·      | ●       | ·       | ●         |
  | scim:manage                 | ·       | ·      | ·      | ·       | ·       | ·         |
  | scorecards:read             | ○       | ·      | ·      | ●       | ●       | ●         |
  | secrets:read                | ·       | ·      | ·      | ●       | ·       | ●         |
  | secrets:manage              | ·       | ·      | ·      | ·       | ·       | ●         |
  | settings:read               | ●       | ·      | ·      | ●       | ●       | ●         |
  | settings:manage             | ·       | ·      | ·      | ·       | ·       | ·         |
  | settings.finance:manage     | ·       | ·      | ·      | ·       | ●       | ·         |
  | settings.developer:manage   | ·       | ·      | ·      | ·       | ·       | ●         |
  | maintenance-windows:manage  | ·       | ·      | ·      | ·       | ·       | ·         |
  | sla:read                    | ●       | ·      | ·      | ●       | ●       | ●         |
  | slo:read                    | ●       | ·      | ·      | ●       | ·       | ●         |
  | slo:manage                  | ·       | ·      | ·      | ·       | ·       | ●         |
  | talent-mapping-templates:manage | ·   | ·      | ·      | ·       | ·       | ·         |
  | talent-mappings:read        | ○       | ·      | ·      | ●       | ·       | ·         |
  | talent-mappings:write       | ○       | ·      | ·      | ·       | ·       | ·         |
  | talent-mappings:apply       | ·       | ·      | ·      | ·       | ·       | ·         |
  | tenant:close                | ·       | ·      | ·      | ·       | ·       | ·         |
  | workspaces:read             | ○       | ○      | ○      | ●       | ·       | ·         |
  | workspaces:manage           | ○       | ·      | ·      | ·       | ·       | ·         |
`;

/** Defaults for business records by kind of permission and area; finance is for billing. */
const BUSINESS = `
  |         | manager | member | viewer | auditor | billing  | developer |
  | read    | ●       | ○      | ○      | ●       | finance  | ●         |
  | write   | ●       | own    | ·      | ·       | finance  | ·         |
  | delete  | ○       | ·      | ·      | ·       | finance  | ·         |
  | others  | ●       | ·      | ·      | ·       | finance  | ·         |
`;

/** Deviations from the defaults where the work of the role requires them. */
const BUSINESS_BESIDES = `
  |                     | manager | member | viewer | auditor | billing | developer |
  | deals:close         | ●       | own    | ·      | ·       | ·       | ·         |
  | accounts:read       | ●       | ○      | ○      | ●       | ●       | ●         |
  | products:read       | ●       | ○      | ○      | ●       | ●       | ●         |
  | documents:read      | ●       | own    | own    | ●       | ·       | ●         |
  | files:read          | ●       | own    | own    | ●       | ·       | ●         |
`;

/** Other permissions: timelines, reports, AI jobs, and those named by role presets. */
const BESIDES = `
  |                           | manager | member | viewer | auditor | billing | developer |
  | ai-budgets:manage         | ·       | ·      | ·      | ·       | ●       | ·         |
  | ai-jobs:approve           | ●       | ·      | ·      | ·       | ·       | ·         |
  | ai-jobs:manage            | ●       | ·      | ·      | ·       | ·       | ·         |
  | ai-jobs:read              | ●       | ●      | ·      | ●       | ●       | ●         |
  | ai-jobs:read-all          | ●       | ·      | ·      | ●       | ●       | ·         |
  | ai-jobs:write             | ●       | ●      | ·      | ·       | ·       | ●         |
  | ai-policy:manage          | ·       | ·      | ·      | ·       | ·       | ·         |
  | ai-prompts:write          | ●       | ·      | ·      | ·       | ·       | ●         |
  | announcements:write       | ●       | ·      | ·      | ·       | ·       | ·         |
  | api-keys:manage           | own     | own    | ·      | ·       | ·       | ●         |
  | api-keys:manage-all       | ·       | ·      | ·      | ·       | ·       | ·         |
  | approvals:decide          | ●       | ·      | ·      | ·       | ·       | ·         |
  | approvals:manage          | ●       | ·      | ·      | ·       | ·       | ·         |
  | approvals:read            | ●       | ·      | ·      | ●       | ·       | ·         |
  | attachments:write         | ●       | ●      | ·      | ·       | ·       | ·         |
  | checklists:manage         | ●       | ·      | ·      | ·       | ·       | ·         |
  | checklists:read           | ●       | ●      | ·      | ●       | ·       | ·         |
  | checklists:write          | ●       | ●      | ·      | ·       | ·       | ·         |
  | comments:manage           | ●       | ·      | ·      | ·       | ·       | ·         |
  | comments:write            | ●       | ●      | ·      | ·       | ·       | ·         |
  | custom-fields:manage      | ·       | ·      | ·      | ·       | ·       | ●         |
  | custom-fields:read        | ●       | ·      | ·      | ●       | ·       | ●         |
  | exports:read              | ●       | ●      | ●      | ●       | ●       | ·         |
  | exports:write             | ●       | ●      | ·      | ·       | ●       | ·         |
  | imports:run               | ●       | ·      | ·      | ·       | ·       | ·         |
  | ledger:read               | ●       | ·      | ·      | ●       | ●       | ·         |
  | saved-views:manage        | ●       | ·      | ·      | ·       | ·       | ·         |
  | tags:manage               | ●       | ·      | ·      | ·       | ·       | ·         |
  | links:write               | ●       | ●      | ·      | ·       | ·       | ·         |
  | process-intelligence:read | ●       | ·      | ·      | ●       | ·       | ·         |
  | reports:delete            | ●       | ●      | ·      | ·       | ·       | ·         |
  | reports:manage            | ●       | ·      | ·      | ·       | ·       | ·         |
  | reports:read              | ●       | ●      | ●      | ●       | ●       | ·         |
  | reports:write             | ●       | ●      | ·      | ·       | ·       | ·         |
  | usage:read                | ●       | ·      | ·      | ●       | ●       | ●         |
  | usage:read-all            | ·       | ·      | ·      | ·       | ·       | ·         |
  | watchers:write            | ●       | ●      | ·      | ·       | ·       | ·         |
  | webhooks:read             | ·       | ·      | ·      | ●       | ·       | ●         |
  | webhooks:write            | ·       | ·      | ·      | ·       | ·       | ●         |
`;

const ROLES = Object.keys(SYSTEM_ROLES) as (keyof typeof SYSTEM_ROLES)[];
const EVERYTHING = ['owner', 'admin'];
/** Permissions that administrators do not hold. */
const OWNERS_ONLY = ['tenant:close'];
const REACHES: Record<string, string> = { '●': '', '○': '@workspace', own: '@own' };
/** Records that are not business records: administered ones and those of AI. */
const NO_BUSINESS = ['ai-jobs', 'custom-fields'];

const platform: Running = await startRunning();
afterAll(() => platform.close());
const definitions = platform.app
  .get(ResourceRegistry)
  .all()
  .filter(({ permissions }) => !NO_BUSINESS.includes(resourceOf(permissions.read)));
const areas = new Map(definitions.map(({ permissions, area }) => [resourceOf(permissions.read), area]));

/** The cells of a table by row and role. */
function table(text: string): Map<string, Record<string, string>> {
  const [head, ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.split('|').slice(1, -1));
  return new Map(
    rows.map(([name, ...cells]) => [
      name!.trim(),
      Object.fromEntries(cells.map((cell, i) => [head![i + 1]!.trim(), cell.trim()])),
    ]),
  );
}

function resourceOf(permission: string): string {
  return permission.slice(0, permission.indexOf(':'));
}

const named = new Map([...table(ADMINISTRATION), ...table(BUSINESS_BESIDES), ...table(BESIDES)]);
const business = table(BUSINESS);

/** The expected cells for a permission; undefined if it is not in the tables. */
function cellsOf(permission: string): Record<string, string> | undefined {
  const area = areas.get(resourceOf(permission));
  if (named.has(permission) || area === undefined) return named.get(permission);
  const cells = business.get(permission.slice(permission.indexOf(':') + 1)) ?? business.get('others')!;
  return Object.fromEntries(
    Object.entries(cells).map(([role, cell]) => [role, cell === 'finance' ? (area === 'finance' ? '●' : '·') : cell]),
  );
}

/** Field permissions are held by name; only roles with everything have them. */
const NOBODY = Object.fromEntries(ROLES.map((role) => [role, '·']));
const isClassOfFields = (permission: string): boolean => {
  const [resource, fields] = resourceOf(permission).split('.');
  return fields !== undefined && areas.has(resource!);
};

it('covers every permission, in a table or as a field permission', () => {
  expect(permissionNames().filter((each) => cellsOf(each) === undefined && !isClassOfFields(each))).toEqual([]);
});

it.each(ROLES)('%s holds exactly the listed permissions', async (role) => {
  const tenant = await platform.tenant();
  const { body } = await tenant.api.get<{ permissions: string[] }>(`/api/admin/roles/${SYSTEM_ROLE_IDS[role]}`);
  const expected = permissionNames().flatMap((permission) => {
    if (role === 'admin' && OWNERS_ONLY.includes(permission)) return [];
    const cell = EVERYTHING.includes(role) ? '●' : (cellsOf(permission) ?? NOBODY)[role]!;
    return cell in REACHES ? [`${permission}${REACHES[cell]!}`] : [];
  });
  expect([...body.permissions].sort()).toEqual(expected.sort());
});

describe.each(definitions)('$type', (definition) => {
  const { read, write } = definition.permissions;
  let tenant: Awaited<ReturnType<Running['tenant']>>;
  const as = async (role: string): Promise<Client> =>
    (await platform.member(tenant, `A ${role}`, ['*'], { roles: [role] })).api;
  beforeAll(async () => {
    tenant = await platform.tenant();
  });

  it('can be listed only with read permission', async () => {
    for (const role of ['manager', 'member', 'viewer', 'auditor', 'billing', 'developer']) {
      const { status } = await (await as(role)).get(pathOf(definition));
      expect({ role, status }).toEqual({ role, status: cellsOf(read)![role]! in REACHES ? 200 : 403 });
    }
  });

  const create = platform.operations.find((each) => each.id === `${operationPrefix(definition)}.create`);
  if (create && write.endsWith(':write'))
    it('can be created by members as their own', async () => {
      const scene = sceneOf(platform, tenant, 'made');
      for (const role of ['member', 'viewer', 'developer']) {
        const { body } = await send(await as(role), create, await callOf(create, scene));
        // A member may not create records for others as the fixture does, but still holds the permission.
        const isWithout = String(body['detail']).startsWith('The roles of the member do not have');
        expect({ role, isWithout }).toEqual({ role, isWithout: role !== 'member' });
      }
    });
});
