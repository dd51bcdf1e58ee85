import type { MigrationInterface, QueryRunner } from 'typeorm';

const OWNER = '00000000-0000-7000-8000-000000000001';
const ADMIN = '00000000-0000-7000-8000-000000000002';
/** What the two run the tenant with. */
const ADMIN_POWERS = [
  'members:manage',
  'resource-permissions:manage',
  'roles:manage',
  'scim:manage',
  'secrets:manage',
  'settings:manage',
];

/**
 * What whoever gave an exception ran the tenant with: a denial for a role or workspace does not reach people above them. Of
 * what there is, it is known where it was given by a member, in person or by a key, who is an owner or administrator today;
 * the others reach whoever runs nothing.
 */
export class Denials1763700000042 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.resource_grants add column given_with text[] not null default '{}'`);
    // Rows are changed by the owner, who otherwise sees none without a tenant.
    const tables = ['data.resource_grants', 'data.role_assignments'];
    for (const table of tables) await runner.query(`alter table ${table} no force row level security`);
    const powers = [
      [ADMIN, ADMIN_POWERS],
      [OWNER, ['owner', ...ADMIN_POWERS]],
    ];
    for (const values of powers)
      await runner.query(
        `update data.resource_grants g set given_with = $2::text[] from data.role_assignments a
         where g.effect = 'deny' and g.principal_type in ('role', 'workspace')
           and a.tenant_id = g.tenant_id and a.role_id = $1
           and a.membership_id = coalesce(
             (select c.member_id from directory.credentials c where c.id::text = g.granted_by->>'id'),
             case when g.granted_by->>'type' = 'member' then (g.granted_by->>'id')::uuid end)`,
        values,
      );
    for (const table of tables) await runner.query(`alter table ${table} force row level security`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
