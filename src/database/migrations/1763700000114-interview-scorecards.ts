import type { MigrationInterface, QueryRunner } from 'typeorm';

const RENAMED = ['*', 'read', 'read-all', 'write'].flatMap((action) =>
  ['', '@workspace', '@own'].map((reach) => `scorecards:${action}${reach}`),
);
const OLD = `'{${RENAMED.join(',')}}'::text[]`;

/** Columns with permissions, by table. */
const COLUMNS = {
  'data.roles': 'permissions',
  'data.oauth_grants': 'scopes',
  'data.request_key_days': 'permissions',
  'directory.credentials': 'scopes',
  'directory.oauth_clients': 'allowed_scopes',
};
const AGENTS = { 'data.intelligence_agents': 'guard_agent', 'data.intelligence_agent_versions': 'guard_agent_version' };

/**
 * The permissions on scorecards of interviews are now called `interview-scorecards:*`. Stored permissions keep their
 * meaning.
 */
export class InterviewScorecards1763700000114 implements MigrationInterface {
  name = 'InterviewScorecards1763700000114';

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, column] of Object.entries(COLUMNS))
      await seeingAll(runner, table, () =>
        runner.query(`
          update ${table} set ${column} = array(
              select case when p = any(${OLD}) then 'interview-' || p else p end
              from unnest(${column}) with ordinality as u (p, place) order by place)
            where ${column} && ${OLD}`),
      );
    // The meaning of the grants stays the same, so the version of the agent does too.
    for (const [table, guard] of Object.entries(AGENTS))
      await seeingAll(runner, table, async () => {
        await runner.query(`alter table ${table} disable trigger ${guard}`);
        await runner.query(`
          update ${table} set grants = (
              select jsonb_agg(case when p = any(${OLD}) then 'interview-' || p else p end order by place)
              from jsonb_array_elements_text(grants) with ordinality as u (p, place))
            where grants ?| ${OLD}`);
        await runner.query(`alter table ${table} enable trigger ${guard}`);
      });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** Row-level security also applies to the owner, and a migration belongs to no tenant. */
async function seeingAll(runner: QueryRunner, table: string, work: () => Promise<unknown>): Promise<void> {
  const isTenants = table.startsWith('data.');
  if (isTenants) await runner.query(`alter table ${table} no force row level security`);
  await work();
  if (isTenants) await runner.query(`alter table ${table} force row level security`);
}
