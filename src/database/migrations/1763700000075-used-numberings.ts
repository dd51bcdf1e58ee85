import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How each series of document numbers has been numbered so far, so that no other numbering repeats a number. */
export class UsedNumberings1763700000075 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.document_series add column used jsonb not null default '[]' check (jsonb_typeof(used) = 'array')`);
    await runner.query(`
      update data.document_series set used = jsonb_build_array(jsonb_build_object('resets', 'yearly', 'pattern',
          case series when 'finance.invoice' then 'INV-{YYYY}-{seq:5}' else 'CN-{YYYY}-{seq:5}' end))
        where period = '' and series in ('finance.invoice', 'finance.credit_note')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
