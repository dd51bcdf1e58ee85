import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What people say about themselves: language, time zone, and who stands in for them on which days. */
export class Profiles1763700000069 implements MigrationInterface {
  name = 'Profiles1763700000069';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.memberships
        add column locale text,
        add column timezone text,
        add column away_from date,
        add column away_to date,
        add column delegate_id uuid,
        add constraint memberships_away check (num_nulls(away_from, away_to, delegate_id) in (0, 3)
          and away_from <= away_to and delegate_id <> id),
        add constraint memberships_delegate_fkey foreign key (tenant_id, delegate_id)
          references data.memberships (tenant_id, id)`);
    await runner.query(`
      create index memberships_delegate_idx on data.memberships (tenant_id, delegate_id) where delegate_id is not null`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
