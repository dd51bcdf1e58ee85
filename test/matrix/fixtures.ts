import { uuidv7 } from '#libs/kernel/id.js';
import {
  after,
  type Call,
  type Fixture,
  list,
  make,
  member,
  type Maker,
  on,
  resource,
  type Scene,
  workspace,
} from './fixture-parts.js';
import { GOVERNANCE_FIXTURES, GOVERNANCE_REFERENCES } from './fixtures/governance.js';
import { INTELLIGENCE_FIXTURES, INTELLIGENCE_REFERENCES } from './fixtures/intelligence.js';
import { INVOICE_FIXTURES } from './fixtures/invoices.js';
import { PAYMENT_FIXTURES, PAYMENT_REFERENCES } from './fixtures/payments.js';
import { PEOPLE_FIXTURES, PEOPLE_REFERENCES } from './fixtures/people.js';
import { deal, SALES_FIXTURES, SALES_REFERENCES } from './fixtures/sales.js';
import { TIMELINE_FIXTURES, TIMELINE_REFERENCES } from './fixtures/timeline.js';
import { WORK_FIXTURES, WORK_REFERENCES } from './fixtures/work.js';
import { TALENT_FIXTURES, TALENT_REFERENCES } from './fixtures/talent.js';
import { exampleBody, type Json, type Operation } from './operations.js';

const ENDPOINTS = '/api/webhooks/endpoints';

const endpoint: Maker = ({ api, label }) => make(api, ENDPOINTS, endpointBody(label));
const delivery: Maker = async (scene) => deliveryTo(await endpoint(scene), scene);

/** Nobody listens at the port: an attempt is refused at once. */
const endpointBody = (label: string): Json => ({
  url: `http://127.0.0.1:9/${label}`,
  eventTypes: ['sales.deal.created'],
  description: `For ${label}`,
});

/**
 * One entry for each operation of the OpenAPI document, by operation id. The generated tests call every operation, so a
 * new one that is missing here fails them.
 */
export const FIXTURES: Record<string, Fixture> = {
  ...TALENT_FIXTURES,
  ...GOVERNANCE_FIXTURES,
  ...INTELLIGENCE_FIXTURES,
  ...INVOICE_FIXTURES,
  ...PAYMENT_FIXTURES,
  ...PEOPLE_FIXTURES,
  'admin.audit_logs.list': list(deal),
  'developer.event_schema.list': { call: () => Promise.resolve({}) },
  'developer.usage.get': { call: () => Promise.resolve({}) },

  ...SALES_FIXTURES,

  ...resource('webhooks.endpoints', endpoint, {
    create: endpointBody,
    patch: (label) => ({ description: `Changed ${label}` }),
  }),
  'webhooks.endpoints.enable': on(after(endpoint, ENDPOINTS, 'pause')),
  'webhooks.endpoints.disable': on(endpoint),
  'webhooks.endpoints.pause': on(endpoint),
  'webhooks.endpoints.rotate_secret': on(endpoint),
  'webhooks.endpoints.test': { ...on(endpoint), effects: { audit: 1, events: 0 } },
  'webhooks.endpoints.deliveries': {
    call: async (scene) => {
      const id = await endpoint(scene);
      await deliveryTo(id, scene);
      await deliveryTo(id, scene);
      return { path: { id } };
    },
  },
  'webhooks.deliveries.get': on(delivery),
  'process_intelligence.time_in_state.get': { call: () => Promise.resolve({}) },
  ...TIMELINE_FIXTURES,
  ...WORK_FIXTURES,
};

/**
 * Makes a record that a member of a body or a query parameter can name, by the name of the member. `id` and `ids` name
 * what the operation's own fixture makes. With the operation id before it, only for that operation.
 */
export const REFERENCES: Record<string, Maker> = {
  ...TALENT_REFERENCES,
  ...GOVERNANCE_REFERENCES,
  ...INTELLIGENCE_REFERENCES,
  ...PAYMENT_REFERENCES,
  ...PEOPLE_REFERENCES,
  ...SALES_REFERENCES,
  ...TIMELINE_REFERENCES,
  ...WORK_REFERENCES,
  ownerId: member,
  workspaceId: workspace,
  eventId: async (scene) => column(scene, await delivery(scene), 'event_id'),
  actorId: async (scene) => (await auditEntry(scene)).actor.id,
  targetId: deal,
  requestId: async (scene) => (await auditEntry(scene)).requestId,
};

/** @throws Error saying where to add what is missing. */
export function fixtureOf(operation: Operation): Fixture {
  const fixture = FIXTURES[operation.id];
  if (!fixture) throw new Error(`Add ${operation.id} to FIXTURES in test/matrix/fixtures.ts.`);
  return fixture;
}

/** The fixture's call, with a body of examples where the operation needs one and the fixture names none. */
export async function callOf(operation: Operation, scene: Scene): Promise<Call> {
  const call = await fixtureOf(operation).call(scene);
  return operation.bodyRequired && !call.body ? { ...call, body: exampleBody(operation.body!) } : call;
}

/** A delivery as the relay makes it, which does not run here. Every event of the tenant meets the endpoint once. */
async function deliveryTo(endpointId: string, { admin, tenantId, ...scene }: Scene): Promise<string> {
  await deal({ admin, tenantId, ...scene });
  const { rows } = await admin.query<{ id: string }>(
    `insert into data.webhook_deliveries (tenant_id, id, event_id, endpoint_id, event_type, status, created_at)
     select tenant_id, $2, id, $3, type, 'held', now() from data.events e
     where tenant_id = $1 and type = 'sales.deal.created' order by position desc limit 1
     returning id`,
    [tenantId, uuidv7(), endpointId],
  );
  return rows[0]!.id;
}

async function column({ admin, tenantId }: Scene, deliveryId: string, name: 'event_id'): Promise<string> {
  const { rows } = await admin.query<Record<string, string>>(
    `select ${name} from data.webhook_deliveries where tenant_id = $1 and id = $2`,
    [tenantId, deliveryId],
  );
  return rows[0]![name]!;
}

async function auditEntry(scene: Scene): Promise<{ actor: { id: string }; requestId: string }> {
  const targetId = await deal(scene);
  const { body } = await scene.api.get<{ data: { actor: { id: string }; requestId: string }[] }>(
    `/api/admin/audit-logs?targetId=${targetId}`,
  );
  return body.data[0]!;
}
