// What the scenario `handovers` executes while the worker is killed. Each kind prepares work that waits for a start,
// starts a part of it, and compares the effects in the database with what must be there.
import { randomUUID } from 'node:crypto';
import { call } from './site.mjs';

const HANDOFFS = '/api/admin/sales-handoff';
const DEALS = '/api/v1/sales/deals';
const CLIENTS = 8;

/** A handoff whose row and effects disagree: a step is committed without its effect, or an effect without its step. */
const HALF_DONE = `
  select count(*)::int as count from data.sales_handoffs h where h.tenant_id = $1 and (
    (h.project_id is not null) <> exists (select from data.work_projects p
      where p.tenant_id = h.tenant_id and p.handoff_id = h.id)
    or (h.invoice_id is not null) <> exists (select from data.finance_invoices i
      where i.tenant_id = h.tenant_id and i.deal_id = h.deal_id)
    or (h.status = 'completed') <> exists (select from data.events e
      where e.tenant_id = h.tenant_id and e.subject_id = h.id::text and e.type = 'sales.handoff.completed')
    or (h.status = 'completed') <> exists (select from data.sales_deals d
      where d.tenant_id = h.tenant_id and d.id = h.deal_id and d.project_id = h.project_id))`;
/** The effects of a handoff, each with the number that must be there. */
const EFFECTS = `
  select h.id, (select count(*) from data.work_projects p where p.tenant_id = $1 and p.handoff_id = h.id)::int - 1 as projects,
    (select count(*) from data.work_tasks k where k.tenant_id = $1 and k.project_id = h.project_id)::int - 1 as tasks,
    (select count(*) from data.record_links l where l.tenant_id = $1 and l.record_id = h.project_id)::int - 2 as links,
    (select count(*) from data.finance_invoices i where i.tenant_id = $1 and i.deal_id = h.deal_id)::int - 1 as invoices,
    (select count(*) from data.events e where e.tenant_id = $1 and e.subject_id = h.id::text
      and e.type = 'sales.handoff.completed')::int - 1 as completions
  from data.sales_handoffs h where h.tenant_id = $1`;

/** Handoffs of won deals. */
export const handoffKind = {
  name: 'handoffs',
  ...measuresOf({
    table: 'data.sales_handoffs',
    noun: 'handoff',
    running: ['accepted', 'executing'],
    halfDone: HALF_DONE,
    effects: EFFECTS,
  }),

  /** Creates submitted handoffs. Returns their ids. */
  async prepare(site, api, tenant, count) {
    await send(api, tenant, 'POST', HANDOFFS, {
      type: 'template',
      name: 'Rollout',
      isDefault: true,
      depositPercent: 30,
    });
    const account = await send(api, tenant, 'POST', '/api/v1/sales/accounts', { name: 'Acme' });
    const contact = await send(api, tenant, 'POST', '/api/v1/sales/contacts', {
      firstName: 'Grace',
      lastName: 'Hopper',
    });
    const ids = await inParallel(Array.from({ length: count }), async () => {
      const body = { name: 'Rollout', value: 1_000, accountId: account.id, primaryContactId: contact.id };
      const deal = await send(api, tenant, 'POST', DEALS, body);
      await send(api, tenant, 'POST', `${DEALS}/${deal.id}/win`);
      const { id } = await send(api, tenant, 'POST', HANDOFFS, { dealId: deal.id });
      await send(api, tenant, 'PATCH', HANDOFFS, { id, action: 'submit' });
      return id;
    });
    // Somebody else has submitted them: the key of the tenant accepts.
    await site.rows('update data.sales_handoffs set submitted_by_person = $2 where tenant_id = $1', [
      tenant.id,
      randomUUID(),
    ]);
    return ids;
  },

  start: (api, tenant, ids) => inParallel(ids, (id) => send(api, tenant, 'PATCH', HANDOFFS, { id, action: 'accept' })),
};

/** How the plans in the column `steps` of a table are measured. */
export function measuresOf({ table, noun, running, halfDone, effects }) {
  const steps = `select coalesce(sum((select count(*) from jsonb_array_elements(steps) s
    where s ->> 'status' in ('done', 'skipped'))), 0)::int as count from ${table} where tenant_id = $1`;
  const unfinished = `select count(*)::int as count from ${table} where tenant_id = $1 and status = any($2)`;
  const count = async (site, text, ...values) => (await site.rows(text, values))[0].count;
  return {
    /** Number of steps that have been committed. */
    steps: (site, { id }) => count(site, steps, id),
    unfinished: (site, { id }) => count(site, unfinished, id, running),
    halfDone: (site, { id }) => count(site, halfDone, id),
    /** Effects that are missing or there twice, as texts. */
    async unequal(site, { id: tenantId }) {
      const rows = await site.rows(effects, [tenantId]);
      return rows.flatMap(({ id, ...differences }) =>
        Object.entries(differences)
          .filter(([, difference]) => difference !== 0)
          .map(([effect, difference]) => `${noun} ${id}: ${difference > 0 ? 'more' : 'fewer'} ${effect}`),
      );
    },
  };
}

export async function send(api, tenant, method, path, body) {
  const answer = await call(api, tenant, method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Runs `work` for each item with a few clients at a time; returns the results in order. */
export async function inParallel(items, work) {
  const results = [];
  const left = [...items.entries()];
  const client = async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return results;
}
