import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Memberships of terminated employees cannot become active again. */
export class NoAccessForLeavers1763700000171 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function data.refuse_terminated() returns trigger language plpgsql set search_path = pg_catalog as $$
      begin
        if exists (select from data.people_employees e where e.tenant_id = new.tenant_id and e.membership_id = new.id
          and e.status = 'terminated' and e.deleted_at is null)
        then
          raise exception 'the employee is terminated' using errcode = '23514', constraint = 'memberships_of_terminated';
        end if;
        return null;
      end $$`);
    await runner.query(`
      create trigger refuse_terminated after update of status on data.memberships for each row
        when (new.status = 'active' and old.status <> 'active') execute function data.refuse_terminated()`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
