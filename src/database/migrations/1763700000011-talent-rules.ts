import type { QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** What triggers hold about hiring, and the rows that they keep beside the records. */
export async function hiringRules(runner: QueryRunner): Promise<void> {
  await keepList(runner, { table: 'talent_candidates', column: 'skills', kept: 'talent_candidate_skills', key: 'candidate_id', value: 'skill', of: 'lower(left(v, 100))', type: 'text' }); // prettier-ignore
  await keepList(runner, { table: 'talent_interviews', column: 'interviewer_ids', kept: 'talent_interview_people', key: 'interview_id', value: 'interviewer_id', of: 'v::uuid', type: 'uuid' }); // prettier-ignore

  // Nobody gets into a stage of a job that is not open. The lock makes who closes it at the same time wait, or be waited for.
  await runner.query(`
    create function data.guard_application() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      perform 1 from data.talent_jobs j
        where j.tenant_id = new.tenant_id and j.id = new.job_id and j.status = 'open' for share;
      if not found then
        raise exception 'the job is not open' using errcode = '23514', constraint = 'talent_applications_job_open';
      end if;
      return null;
    end $$`);
  await runner.query(`
    create trigger guard_new_application after insert on data.talent_applications for each row
      when (new.job_id is not null and new.status = 'active') execute function data.guard_application()`);
  await runner.query(`
    create trigger guard_application after update on data.talent_applications for each row
      when (new.job_id is not null and new.status = 'active'
        and (new.stage is distinct from old.stage or new.job_id is distinct from old.job_id))
      execute function data.guard_application()`);

  // A submitted card stays as it is; when its candidate is anonymised its words go, and what it counts stays.
  const counted = (row: string, part: string) => `jsonb_path_query_array(${row}.ratings, '$[*].${part}')`;
  const kept = ['status', 'application_id', 'interview_id', 'interviewer_id', 'recommendation', 'score_hundredths', 'submitted_at']; // prettier-ignore
  await runner.query(`
    create function data.guard_scorecard() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if (${kept.map((column) => `new.${column} is distinct from old.${column}`).join(' or ')})
        or ${counted('new', 'score')} <> ${counted('old', 'score')}
        or ${counted('new', 'criterion')} <> ${counted('old', 'criterion')}
        or (new.summary is not null and new.summary is distinct from old.summary)
        or (new.ratings <> old.ratings and jsonb_path_exists(new.ratings, '$[*] ? (@.note != null)')) then
        raise exception 'a submitted scorecard stays as it is'
          using errcode = '23514', constraint = 'talent_scorecards_locked';
      end if;
      return null;
    end $$`);
  await runner.query(`
    create trigger guard_scorecard after update on data.talent_scorecards for each row
      when (old.status = 'submitted') execute function data.guard_scorecard()`);
}

/** Keeps each value of a list as a row, for filters: JSON cannot be searched by an index behind row-level security. */
async function keepList(
  runner: QueryRunner,
  names: { table: string; column: string; kept: string; key: string; value: string; of: string; type: string },
): Promise<void> {
  const { table, column, kept, key, value, of, type } = names;
  await runner.query(`
    create table data.${kept} (
      tenant_id uuid not null,
      ${value} ${type} not null,
      ${key} uuid not null,
      primary key (tenant_id, ${value}, ${key}),
      constraint ${kept}_${key}_fkey foreign key (tenant_id, ${key}) references data.${table} (tenant_id, id)
    )`);
  await runner.query(`create index ${kept}_record_idx on data.${kept} (tenant_id, ${key})`);
  await tenantTable(runner, `data.${kept}`, { grant: 'select, insert, delete' });
  await runner.query(`
    create function data.keep_${kept}() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if tg_op = 'UPDATE' then
        delete from data.${kept} where tenant_id = new.tenant_id and ${key} = new.id;
      end if;
      insert into data.${kept} (tenant_id, ${value}, ${key})
        select distinct new.tenant_id, ${of}, new.id from jsonb_array_elements_text(new.${column}) v;
      return null;
    end $$`);
  await runner.query(`
    create trigger keep_new_${column} after insert on data.${table} for each row
      when (new.${column} <> '[]') execute function data.keep_${kept}()`);
  await runner.query(`
    create trigger keep_${column} after update on data.${table} for each row
      when (new.${column} is distinct from old.${column}) execute function data.keep_${kept}()`);
}
