import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What decides whether a recorded address is in a network. Recorded text that is no address is in none. */
export class Addresses1763700000250 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function data.address_of(recorded text) returns inet language plpgsql immutable strict parallel safe
        set search_path = pg_catalog as $$
      begin
        return regexp_replace(recorded, '^::ffff:(?=\\d+\\.)', '', 'i')::inet;
      exception when invalid_text_representation then
        return null;
      end $$`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
