import { type Call, type Fixture, list, member, type Maker, type Scene, workspace } from './fixture-parts.js';
import { ACCESS_FIXTURES, ACCESS_REFERENCES } from './fixtures/access.js';
import { AI_FIXTURES, AI_REFERENCES } from './fixtures/ai.js';
import { AI_MODEL_FIXTURES } from './fixtures/ai-models.js';
import { AI_MONEY_FIXTURES, AI_MONEY_REFERENCES } from './fixtures/ai-money.js';
import { AI_POLICY_FIXTURES, AI_POLICY_REFERENCES } from './fixtures/ai-policy.js';
import { GOVERNANCE_FIXTURES, GOVERNANCE_REFERENCES } from './fixtures/governance.js';
import { IDENTITY_FIXTURES } from './fixtures/identity.js';
import { INTELLIGENCE_FIXTURES, INTELLIGENCE_REFERENCES } from './fixtures/intelligence.js';
import { INVOICE_FIXTURES } from './fixtures/invoices.js';
import { PEOPLE_ADMIN_FIXTURES, PEOPLE_ADMIN_REFERENCES } from './fixtures/people-admin.js';
import { PAYMENT_FIXTURES, PAYMENT_REFERENCES } from './fixtures/payments.js';
import { PEOPLE_FIXTURES, PEOPLE_REFERENCES } from './fixtures/people.js';
import { deal, SALES_FIXTURES, SALES_REFERENCES } from './fixtures/sales.js';
import { SCIM_FIXTURES, SCIM_REFERENCES } from './fixtures/scim.js';
import { SCIM_GROUP_FIXTURES } from './fixtures/scim-groups.js';
import { TIMELINE_FIXTURES, TIMELINE_REFERENCES } from './fixtures/timeline.js';
import { WORK_FIXTURES, WORK_REFERENCES } from './fixtures/work.js';
import { DELIVERY_FIXTURES, DELIVERY_REFERENCES } from './fixtures/webhook-deliveries.js';
import { ENDPOINT_FIXTURES } from './fixtures/webhook-endpoints.js';
import { TALENT_FIXTURES, TALENT_REFERENCES } from './fixtures/talent.js';
import { exampleBody, type Operation } from './operations.js';

/**
 * One entry for each operation of the OpenAPI document, by operation id. The generated tests call every operation, so a
 * new one that is missing here fails them.
 */
export const FIXTURES: Record<string, Fixture> = {
  ...ACCESS_FIXTURES,
  ...AI_FIXTURES,
  ...AI_MODEL_FIXTURES,
  ...AI_MONEY_FIXTURES,
  ...AI_POLICY_FIXTURES,
  ...TALENT_FIXTURES,
  ...GOVERNANCE_FIXTURES,
  ...IDENTITY_FIXTURES,
  ...INTELLIGENCE_FIXTURES,
  ...INVOICE_FIXTURES,
  ...PAYMENT_FIXTURES,
  ...PEOPLE_FIXTURES,
  ...PEOPLE_ADMIN_FIXTURES,
  'admin.audit_logs.list': list(deal),
  'developer.event_schema.list': { call: () => Promise.resolve({}) },
  'developer.usage.get': { call: () => Promise.resolve({}) },

  ...SALES_FIXTURES,
  ...SCIM_FIXTURES,
  ...SCIM_GROUP_FIXTURES,

  ...ENDPOINT_FIXTURES,
  ...DELIVERY_FIXTURES,
  'process_intelligence.time_in_state.get': { call: () => Promise.resolve({}) },
  ...TIMELINE_FIXTURES,
  ...WORK_FIXTURES,
};

/**
 * Makes a record that a member of a body or a query parameter can name, by the name of the member. `id` and `ids` name
 * what the operation's own fixture makes. With the operation id before it, only for that operation.
 */
export const REFERENCES: Record<string, Maker> = {
  ...ACCESS_REFERENCES,
  ...AI_REFERENCES,
  ...AI_MONEY_REFERENCES,
  ...AI_POLICY_REFERENCES,
  ...TALENT_REFERENCES,
  ...GOVERNANCE_REFERENCES,
  ...INTELLIGENCE_REFERENCES,
  ...PAYMENT_REFERENCES,
  ...PEOPLE_REFERENCES,
  ...PEOPLE_ADMIN_REFERENCES,
  ...SALES_REFERENCES,
  ...SCIM_REFERENCES,
  ...TIMELINE_REFERENCES,
  ...WORK_REFERENCES,
  ownerId: member,
  workspaceId: workspace,
  ...DELIVERY_REFERENCES,
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

async function auditEntry(scene: Scene): Promise<{ actor: { id: string }; requestId: string }> {
  const targetId = await deal(scene);
  const { body } = await scene.api.get<{ data: { actor: { id: string }; requestId: string }[] }>(
    `/api/admin/audit-logs?targetId=${targetId}`,
  );
  return body.data[0]!;
}
