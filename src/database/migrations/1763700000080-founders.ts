import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

/** Which people have founded tenants for themselves. ADR 0043. */
export class Founders1763700000080 implements MigrationInterface {
  name = 'Founders1763700000080';

  async up(runner: QueryRunner): Promise<void> {
    const { lookup } = migrationRoles();
    // A founder is noted before the tenant, so that whoever may found no more is told before anything is made.
    await runner.query(`
      create table directory.founders (
        tenant_id uuid primary key references directory.tenants (id) deferrable initially deferred,
        user_id uuid not null references directory.users (id)
      )`);
    await runner.query(`create index founders_user_idx on directory.founders (user_id)`);
    await runner.query(`grant select, insert on directory.founders to ${lookup}`);
    // The row of the person is locked: of two foundings at once the second counts the first.
    await runner.query(`
      create function directory.claim_founding(new_id uuid, person uuid, most integer) returns boolean
        language plpgsql security definer set search_path = pg_catalog as $$
      begin
        perform 1 from directory.users u where u.id = person for update;
        if (select count(*) from directory.founders f join directory.tenants t on t.id = f.tenant_id
            where f.user_id = person and t.closed_at is null) >= most then
          return false;
        end if;
        insert into directory.founders (tenant_id, user_id) values (new_id, person);
        return true;
      end $$`);
    // Whoever is no member any more is told nothing of it.
    await runner.query(`
      create function directory.tenant_founded_by(wanted text, person uuid) returns table (id uuid)
        language sql stable security definer set search_path = pg_catalog as $$
        select t.id from directory.tenants t
          join directory.founders f on f.tenant_id = t.id and f.user_id = person
          join directory.member_places p on p.tenant_id = t.id and p.user_id = person
        where t.slug = wanted $$`);
    for (const definer of ['claim_founding(uuid, uuid, integer)', 'tenant_founded_by(text, uuid)'])
      await definerFunction(runner, `directory.${definer}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
