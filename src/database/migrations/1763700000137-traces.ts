import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Events and AI jobs keep the place in a trace of the request that caused them (W3C Trace Context), so that workers
 * continue the trace. Null without one.
 */
export class Traces1763700000137 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.events add column traceparent text`);
    await runner.query(`alter table data.ai_jobs add column traceparent text`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
