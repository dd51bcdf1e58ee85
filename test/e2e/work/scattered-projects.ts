import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { asAdmin } from '../../harness/database.js';
import type { TestPlatform, TestTenant } from '../../harness/platform.js';

/** A sequence of numbers below a limit, the same in every run. */
function numbers(): (limit: number) => number {
  let state = 1;
  return (limit) => (state = (state * 48_271) % 2_147_483_647) % limit;
}

/** Inserts projects with figures of all kinds on both sides of each limit, as if their parts had been counted. */
export async function scatterProjects(platform: TestPlatform, tenant: TestTenant, count: number): Promise<void> {
  const day = (offset: number) => new Date(platform.clock.nowMs() + offset * DAY_MS).toISOString().slice(0, 10);
  const next = numbers();
  const pick = <T>(...values: T[]): T => values[next(values.length)]!;
  const dayOrNone = () => pick(null, day(next(9) - 4));
  const at = () => new Date(platform.clock.nowMs() - next(6) * DAY_MS).toISOString();
  const stamp = { type: 'system', id: null, name: 'platform' };
  const rows = Array.from({ length: count }, (_, i) => {
    const status = pick('planned', 'active', 'active', 'on_hold', 'completed', 'cancelled');
    const [tasks, open] = [next(5), status === 'completed' || status === 'cancelled' ? 0 : next(5)];
    const milestones = next(4);
    const [start, target] = [dayOrNone(), dayOrNone()].sort();
    return {
      ...{ tenant_id: tenant.id, id: uuidv7(), reference: `X-${i}`, name: 'x', key: `X${i}`, version: 1 },
      ...{ created_at: at(), updated_at: at(), created_by: stamp, updated_by: stamp, visibility: 'workspace' },
      ...{ health: 0, priority: 0, member_ids: [], custom_fields: {}, tags: [], external_refs: [], status },
      ...{ start_date: start ?? null, target_date: target ?? null, next_milestone_date: dayOrNone() },
      held_seconds: pick(0, 0, 86_399, 86_400, 200_000),
      held_at: status === 'on_hold' ? at() : null,
      completed_at: status === 'completed' ? at() : null,
      ...(status === 'cancelled' ? { cancelled_at: at(), cancelled_reason: 'x' } : {}),
      billing_model: pick('none', 'fixed', 'time_and_materials', 'time_and_materials', 'retainer'),
      ...{ budget_minor: pick(null, null, 0, 100), budget_minutes: pick(null, null, 0, 200), currency: 'EUR' },
      ...{ spent_minor: pick(0, 84, 85, 86, 100, 101), spent_minutes: pick(0, 170, 171, 200, 201) },
      invoiced_minor: pick(null, 0, 0, 85, 86, 100, 101),
      ...{ progress_method: pick('manual', 'tasks', 'milestones'), progress_percent: next(1_000_001) },
      ...{ done_tasks: tasks, backlog_tasks: open, unstarted_tasks: 0, started_tasks: 0, cancelled_tasks: next(3) },
      ...{
        estimated_tasks: pick(0, tasks + open),
        estimate_minutes: 60 * (tasks + open),
        done_estimate_minutes: 60 * tasks,
      },
      ...{ milestones, open_milestones: next(milestones + 1), unaccepted_milestones: 0 },
      ...{ unbilled_minutes: 0, unbilled_minor: 0, approved_entries: 0, next_task_number: 1 },
    };
  });
  const columns = Object.keys({ ...rows[0], cancelled_at: null, cancelled_reason: null }).join();
  await asAdmin(
    platform.database,
    `insert into data.work_projects (${columns})
     select ${columns} from jsonb_populate_recordset(null::data.work_projects, $1)`,
    [JSON.stringify(rows)],
  );
}
