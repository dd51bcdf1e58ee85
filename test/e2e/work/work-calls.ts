import type { ShownCycle } from '#src/areas/work/cycles/cycle.js';
import type { ShownMilestone } from '#src/areas/work/milestones/milestone.js';
import type { Shown } from '#libs/resource/types/record-type.js';
import type { ProjectTemplate } from '#src/areas/work/project-templates/project-template.js';
import type { ShownProject } from '#src/areas/work/projects/project.js';
import type { ShownTask } from '#src/areas/work/tasks/task.js';
import type { ShownTimeEntry } from '#src/areas/work/time-entries/time-entry.js';
import pg from 'pg';
import { until } from '#libs/testing/until.js';
import type { Client } from '../../harness/client.js';
import { asAdmin, type TestDatabase } from '../../harness/database.js';

export const PROJECTS = '/api/v1/work/projects';
export const TASKS = '/api/v1/work/tasks';
export const MILESTONES = '/api/v1/work/milestones';
export const CYCLES = '/api/v1/work/cycles';
export const STATES = '/api/settings/task-states';
export const TIME = '/api/v1/work/time-entries';
export const TEMPLATES = '/api/v1/work/project-templates';

/** Returns the body of a successful call. @throws Error when the API rejects it. */
async function made<T>(api: Client, path: string, body: object): Promise<T> {
  const answer = await api.post<T>(path, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

export const makeProject = (api: Client, body: object = {}) =>
  made<ShownProject>(api, PROJECTS, { name: 'Acme rollout', ...body });
export const makeTask = (api: Client, body: object = {}) => made<ShownTask>(api, TASKS, { name: 'a task', ...body });
export const makeMilestone = (api: Client, body: object) =>
  made<ShownMilestone>(api, MILESTONES, { name: 'a milestone', ...body });
export const makeCycle = (api: Client, body: object) => made<ShownCycle>(api, CYCLES, { name: 'a cycle', ...body });
export const makeTime = (api: Client, body: object) => made<ShownTimeEntry>(api, TIME, { minutes: 60, ...body });
export const makeTemplate = (api: Client, body: object = {}) =>
  made<Shown<ProjectTemplate>>(api, TEMPLATES, { name: 'a template', ...body });

/** Runs an action that must succeed. @throws Error when the API rejects it. */
export async function act<T>(api: Client, path: string, action: string, body?: object): Promise<T> {
  const answer = await api.post<T>(`${path}/${action}`, body);
  if (answer.status !== 200) throw new Error(`${action}: ${answer.text}`);
  return answer.body;
}

export async function read<T>(api: Client, path: string): Promise<T> {
  const answer = await api.get<T>(path);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

export const readProject = (api: Client, id: string) => read<ShownProject>(api, `${PROJECTS}/${id}`);
export const readTask = (api: Client, id: string) => read<ShownTask>(api, `${TASKS}/${id}`);

/** Ids in a list, in order. */
export async function idsOf(api: Client, path: string): Promise<string[]> {
  const { data } = await read<{ data: { id: string }[] }>(api, path);
  return data.map(({ id }) => id);
}

/** Sends a request while a transaction with a statement is open, and commits that once the request waits for it. */
export async function whileOpen<T>(
  database: TestDatabase,
  text: string,
  values: unknown[],
  send: () => Promise<T>,
): Promise<T> {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const client = new pg.Client({ connectionString: database.adminUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(text, values);
    const answer = send();
    await until(async () => (await asAdmin(database, waiting, [])).length > 0);
    await client.query('commit');
    return await answer;
  } finally {
    await client.end();
  }
}
