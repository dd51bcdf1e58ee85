import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { EMPTY_LAST, emptyLast } from '#libs/database/empty-last.js';

/** What the list of members is read by: sorts with the empty last, seats, second factors. */
export class Members1763700000023 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { ascending, descending } = EMPTY_LAST['timestamptz']!;
    for (const [name, column] of Object.entries({ joined: 'joined_at', active: 'last_active_at' })) {
      await runner.query(`drop index data.memberships_${name}_idx`);
      for (const [way, keys] of [
        ['up', `(${emptyLast(column, ascending)}), id`],
        ['down', `(${emptyLast(column, descending)}) desc, id desc`],
      ])
        await runner.query(
          `create index memberships_${name}_${way}_idx on data.memberships (tenant_id, ${keys}) where deleted_at is null`,
        );
    }
    await runner.query(`
      create index memberships_seats_idx on data.memberships (tenant_id)
        where status in ('active', 'invited') and deleted_at is null`);
    // The second factor that counts is that of the last sign-in, as in directory.member_access().
    await runner.query(`
      create function directory.members_with_second_factor() returns setof uuid
        language sql stable security definer set search_path = pg_catalog as $$
        select last.member_id from (
          select distinct on (s.member_id) s.member_id, s.multi_factor_at from directory.sessions s
          where s.tenant_id = current_setting('app.tenant_id')::uuid
          order by s.member_id, s.created_at desc) last
        where last.multi_factor_at is not null $$`);
    await definerFunction(runner, 'directory.members_with_second_factor()');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
