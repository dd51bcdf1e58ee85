import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * All code that writes role assignments, future grants of roles, or permissions of roles. Add a new writer here with
 * the check that it passes (`RoleDoor`: the gate `role.grant_privileged` and protected operations), or with the reason
 * why it needs none.
 */
const BY_DOOR = {
  'libs/members/members.repository.ts': ['src/areas/access/memberships/membership-changes.service.ts'],
  'src/areas/access/roles/role.ts': ['src/areas/access/roles/role-changes.service.ts'],
  'src/areas/access/roles/role.queries.ts': ['src/areas/access/roles/role-changes.service.ts'],
  'src/areas/access/scim-configurations/scim-configuration.ts': [
    'src/areas/access/scim-configurations/scim-configurations.service.ts',
  ],
  'src/areas/access/scim-configurations/scim-configurations.repository.ts': [
    'src/areas/access/scim-configurations/scim-configurations.service.ts',
  ],
  'src/areas/access/invitations/invitation.ts': [
    'src/areas/access/invitations/inviting.service.ts',
    'src/areas/access/invitations/invitations.service.ts',
  ],
};
const WITHOUT = {
  'libs/tenants/beginnings.ts': 'the owner of a new tenant, set by the operator',
  'libs/auth/scim-configuration.ts': 'a configuration created by the operator',
  'src/areas/scim/grants/grant-statements.ts': 'grants the roles of a configuration',
  'src/areas/access/scim-configurations/scim-removal.service.ts': 'keeps granted roles as manual assignments',
  'src/areas/access/workspaces/workspace.ts': 'rejects roles that administer the tenant',
};

const WRITES = [
  /(?:insert into|update|delete from)\s+data\.(?:role_assignments|roles|scim_configs|scim_mappings)\b(?!\s+set (?:status|token))/,
  /table: 'data\.(?:roles|scim_configs)'/,
  /@Column\([^)]*name: '(?:default_)?role_ids'/, // written by the repository of an entity
];

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (path.endsWith('.ts') && !path.endsWith('.spec.ts') && !path.includes('migrations')) yield path;
  }
}
const texts = new Map([...sources('libs'), ...sources('src')].map((path) => [path, readFileSync(path, 'utf8')]));
const having = (pattern: RegExp) => [...texts].filter(([, text]) => pattern.test(text)).map(([path]) => path);

it('are exactly those listed', () => {
  const found = new Set(WRITES.flatMap(having));
  expect([...found].sort()).toEqual([...Object.keys(BY_DOOR), ...Object.keys(WITHOUT)].sort());
});

it.each(Object.entries(BY_DOOR).flatMap(([writer, services]) => services.map((service) => [writer, service])))(
  '%s is only reached through the checks of %s',
  (_, service) => {
    expect(texts.get(service)).toMatch(/this\.door\.(hold|refuse)\(/);
  },
);

it('grants roles to members by name in one place, which is checked', () => {
  expect(having(/members\.(?:change|create)\(.*'caller'\)/)).toEqual([
    'src/areas/access/access-reviews/review-removals.service.ts', // only removes roles
    'src/areas/access/memberships/membership-changes.service.ts',
  ]);
  expect(having(/\.giveRoles\(/)).toEqual(['libs/members/member-gifts.ts']);
});

it('grants roles to members elsewhere only when they were promised', () => {
  expect(having(/roles: \{ source/).sort()).toEqual([
    'libs/members/members.ts', // on joining: promised by the invitation or granted at sign-in
    'src/areas/access/memberships/membership-changes.service.ts',
    'src/areas/scim/grants/scim-grants.service.ts', // promised by the configuration
  ]);
});
