import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Calendars of departments and employees, for places with other holidays and working days than the tenant. */
export class CalendarsOfPlaces1763700000170 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['people_departments', 'people_employees']) {
      await runner.query(`
        alter table data.${table} add column calendar_id uuid,
          add constraint ${table}_calendar_id_fkey foreign key (tenant_id, calendar_id)
            references data.settings_calendars (tenant_id, id)`);
      await runner.query(`
        create index ${table}_calendar_id_idx on data.${table} (tenant_id, calendar_id) where calendar_id is not null`);
    }
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
