import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFunction } from '../functions.js';

/** What a project uses of its budget gets one home in SQL: the functions that its trigger, reports and metrics call. */
export class ProjectBudgets1763700000330 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await sqlFunction(runner, 'data.project_used_minor');
    await sqlFunction(runner, 'data.project_exceeds');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
