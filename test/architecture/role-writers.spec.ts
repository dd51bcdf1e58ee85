import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Everything that writes who has which role, what is going to give one, and what a role allows. A new writer stands here
 * with the door that it passes (`RoleDoor`: the gate `role.grant_privileged`, and what protected operations take), or with
 * the reason why it needs none.
 */
const BY_DOOR = {
  'libs/members/members.repository.ts': ['src/areas/admin/memberships/membership-changes.service.ts'],
  'src/areas/admin/roles/role.ts': ['src/areas/admin/roles/role-changes.service.ts'],
  'src/areas/admin/roles/role.queries.ts': ['src/areas/admin/roles/role-changes.service.ts'],
  'src/areas/admin/scim-configurations/scim-configuration.ts': [
    'src/areas/admin/scim-configurations/scim-configurations.service.ts',
  ],
  'src/areas/admin/scim-configurations/scim-configurations.repository.ts': [
    'src/areas/admin/scim-configurations/scim-configurations.service.ts',
  ],
  'src/areas/admin/invitations/invitation.ts': [
    'src/areas/admin/invitations/inviting.service.ts',
    'src/areas/admin/invitations/invitations.service.ts',
  ],
};
const WITHOUT = {
  'libs/tenants/beginnings.ts': 'the owner of a new tenant, by the operator',
  'libs/auth/scim-configuration.ts': 'a configuration made by the operator',
  'src/areas/scim/grants/grant-statements.ts': 'gives what a configuration has promised',
  'src/areas/admin/scim-configurations/scim-removal.service.ts': 'keeps what was given, by hand from then on',
  'src/areas/admin/workspaces/workspace.ts': 'refuses roles that run the tenant',
};

const WRITES = [
  /(?:insert into|update|delete from)\s+data\.(?:role_assignments|roles|scim_configs|scim_mappings)\b(?!\s+set (?:status|token))/,
  /table: 'data\.(?:roles|scim_configs)'/,
  /@Column\([^)]*name: '(?:default_)?role_ids'/, // kept by the repository of an entity
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

it('are these', () => {
  const found = new Set(WRITES.flatMap(having));
  expect([...found].sort()).toEqual([...Object.keys(BY_DOOR), ...Object.keys(WITHOUT)].sort());
});

it.each(Object.entries(BY_DOOR).flatMap(([writer, services]) => services.map((service) => [writer, service])))(
  '%s is reached through the door of %s',
  (_, service) => {
    expect(texts.get(service)).toMatch(/this\.door\.(hold|refuse)\(/);
  },
);

it('gives roles to a member by name in one place, which passes the door', () => {
  expect(having(/members\.(?:change|create)\(.*'caller'\)/)).toEqual([
    'src/areas/admin/memberships/membership-changes.service.ts',
  ]);
  expect(having(/\.giveRoles\(/)).toEqual(['libs/members/member-gifts.ts']);
});

it('gives the roles of members where it is known who has promised them', () => {
  expect(having(/roles: \{ source/).sort()).toEqual([
    'libs/members/members.ts', // who joins: what the invitation promised, or the sign-in gives
    'src/areas/admin/memberships/membership-changes.service.ts',
    'src/areas/scim/grants/scim-grants.service.ts', // what the configuration promised
  ]);
});
