import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A member whom the identity provider has deleted, and a legal hold keeps, stays hidden in SCIM unless active again. */
export class HeldMembers1763700000261 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const [{ source }] = (await runner.query(
      `select pg_get_functiondef('data.keep_scim_user()'::regprocedure) as source`,
    )) as [{ source: string }];
    const after = source
      .replace('deleted_at = new.deleted_at, version', `deleted_at = ${STAYS}, version`)
      .replace('u.deleted_at is distinct from new.deleted_at', `u.deleted_at is distinct from ${STAYS}`);
    if (after.split(STAYS).length !== 3) throw new Error('The trigger of SCIM users has another form.');
    await runner.query(after);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

const STAYS = `case when new.status = 'active' then new.deleted_at else coalesce(u.deleted_at, new.deleted_at) end`;
