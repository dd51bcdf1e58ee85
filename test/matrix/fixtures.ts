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
import { INTELLIGENCE_FIXTURES, INTELLIGENCE_REFERENCES } from './fixtures/intelligence.js';
import { exampleBody, type Json, type Operation } from './operations.js';

const DEALS = '/api/v1/sales/deals';
const PIPELINES = '/api/v1/sales/pipelines';
const ENDPOINTS = '/api/webhooks/endpoints';

const deal: Maker = ({ api, label }) => make(api, DEALS, { name: `Deal ${label}`, value: 25000 });
const pipeline: Maker = ({ api, label }) => make(api, PIPELINES, { name: `Pipeline ${label}` });
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
  ...INTELLIGENCE_FIXTURES,
  'admin.audit_logs.list': list(deal),
  'developer.event_schema.list': { call: () => Promise.resolve({}) },
  'developer.usage.get': { call: () => Promise.resolve({}) },

  ...resource('sales.deals', deal, {
    create: (label) => ({ name: `Deal ${label}`, value: 25000 }),
    patch: (label) => ({ nextStep: `Call ${label}` }),
  }),
  'sales.deals.move': on(deal, () => ({ stage: 'proposal' })),
  'sales.deals.change_pipeline': on(deal, async (scene) => ({ pipelineId: await pipeline(scene) })),
  'sales.deals.win': on(deal),
  'sales.deals.lose': on(deal, () => ({ lostReason: 'price' })),
  'sales.deals.reopen': on(after(deal, DEALS, 'win'), () => ({ reason: 'The customer came back' })),
  'sales.deals.archive': on(deal),
  'sales.deals.unarchive': on(after(deal, DEALS, 'archive')),
  'sales.deals.restore': on(after(deal, DEALS, 'delete')),

  ...resource('sales.pipelines', pipeline, {
    create: (label) => ({ name: `Pipeline ${label}` }),
    patch: (label) => ({ name: `Changed ${label}` }),
  }),

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
};

/**
 * Makes a record that a member of a body or a query parameter can name, by the name of the member. `id` and `ids` name
 * what the operation's own fixture makes.
 */
export const REFERENCES: Record<string, Maker> = {
  ...INTELLIGENCE_REFERENCES,
  ownerId: member,
  workspaceId: workspace,
  pipelineId: pipeline,
  renewalOfDealId: deal,
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
