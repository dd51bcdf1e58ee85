import type pg from 'pg';
import type { DeliveryCommandResult } from '#src/areas/work/delivery-control/delivery-command.dto.js';
import type { DeliveryItem, DeliveryPage } from '#src/areas/work/delivery-control/delivery.dto.js';
import type { ShownProject } from '#src/areas/work/projects/project.js';
import type { Client } from '../../harness/client.js';
import { act, makeProject, PROJECTS, read } from '../work/work-calls.js';

export const CONTROL = '/api/admin/delivery-control';
export const BULK = `${CONTROL}/bulk`;

/** A billable project, which is under delivery control. */
export const billable = (api: Client, body: object = {}): Promise<ShownProject> =>
  makeProject(api, { billing: { model: 'fixed' }, ...body });

export async function started(api: Client, body: object = {}): Promise<ShownProject> {
  const { id } = await billable(api, body);
  return act<ShownProject>(api, `${PROJECTS}/${id}`, 'start');
}

export const list = (api: Client, query = ''): Promise<DeliveryPage> => read<DeliveryPage>(api, `${CONTROL}${query}`);

export async function itemOf(api: Client, id: string): Promise<DeliveryItem> {
  const { data } = await list(api, '?limit=200');
  return data.find(({ project }) => project.id === id)!;
}

/** Acts on projects; the request itself must succeed. */
export async function bulk(api: Client, command: object): Promise<DeliveryCommandResult> {
  const answer = await api.post<DeliveryCommandResult>(BULK, { reason: 'Weekly review', ...command });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

/** Copies a project many times, past the API. */
export async function copyProject(client: pg.Client, id: string, times: number): Promise<void> {
  await client.query(
    `with source as (select * from data.work_projects where id = $1)
     insert into data.work_projects (tenant_id, id, version, reference, name, custom_fields, tags, external_refs,
       created_at, updated_at, created_by, updated_by, owner_id, key, status, health, priority, member_ids, visibility,
       target_date, billing_model, budget_minor, currency, progress_method, progress_percent)
     select tenant_id, gen_random_uuid(), 1, 'X-' || n, 'Copy ' || n, custom_fields, tags, external_refs, created_at,
       updated_at, created_by, updated_by, owner_id, 'X' || n, status, n % 4, priority, member_ids, visibility,
       target_date + n % 300, billing_model, budget_minor, currency, progress_method, progress_percent
     from source, generate_series(1, $2::integer) n`,
    [id, times],
  );
}
