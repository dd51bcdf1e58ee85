import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

const TENANT = `current_setting('app.tenant_id')::uuid`;
const KEY = `hashtextextended('base currency ' || ${TENANT}, 0)`;

/**
 * The currency of the tenant in scope can change until something is posted in it. Whoever posts holds the currency until
 * the commit; whoever changes it waits for them, and they see the change. ADR 0035.
 */
export class BaseCurrency1763700000047 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { lookup } = migrationRoles();
    await runner.query(`
      create function directory.hold_currency(expected text) returns void
        language plpgsql security definer set search_path = pg_catalog as $$
      begin
        perform pg_advisory_xact_lock_shared(${KEY});
        if not exists (select from directory.tenants t where t.id = ${TENANT} and t.currency = expected) then
          raise exception 'the currency of the tenant has changed' using errcode = 'TOP01';
        end if;
      end $$`);
    await runner.query(`
      create function directory.set_currency(wanted text) returns text
        language plpgsql security definer set search_path = pg_catalog as $$
      declare before text;
      begin
        perform pg_advisory_xact_lock(${KEY});
        select t.currency into before from directory.tenants t where t.id = ${TENANT} for no key update;
        update directory.tenants t set currency = wanted where t.id = ${TENANT};
        return before;
      end $$`);
    await runner.query(`grant update (currency) on directory.tenants to ${lookup}`);
    await definerFunction(runner, 'directory.hold_currency(text)');
    await definerFunction(runner, 'directory.set_currency(text)');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
