import { uuidv7 } from '#libs/kernel/id.js';
import { type Resource, ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { Answer } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import type { Scene } from './fixture-parts.js';
import { callOf } from './fixtures.js';
import { type Place, placesOf } from './foreign-ids.js';
import { makeKey, type TestKey } from './keys.js';
import type { Json, Operation } from './operations.js';
import { type Running, sceneOf, send, startRunning } from './running.js';

/** Every reference to a record that the caller may not see is treated as unknown. */
const platform: Running = await startRunning();
afterAll(() => platform.close());

const NAMING = platform.operations
  .filter(({ open, alias }) => !open && !alias)
  .map((operation) => ({
    operation,
    name: operation.name,
    places: placesOf(operation).filter(({ kind, subject }) => kind === 'body' && !subject),
  }))
  .filter(({ places }) => places.length > 0);

/** Places tried with a record, by operation; the others reference people, workspaces and the like. */
const tried = new Set<string>();

/**
 * Body members that reference people, roles, workspaces, endpoints and the like; some of them reference records in
 * other operations.
 */
const OF_NO_RECORD = [
  ...[
    'assigneeIds',
    'copyFrom',
    'credentialSecretId',
    'defaultRoleIds',
    'deliveryOwnerId',
    'destinationId',
    'endpointId',
    'eventId',
    'fileId',
    'hiringManagerId',
    'id',
    'ids',
    'intoId',
  ],
  ...[
    'interviewerId',
    'interviewerIds',
    'leadId',
    'managerMembershipId',
    'mappingTemplateId',
    'memberId',
    'memberIds',
    'membershipId',
    'membershipIds',
    'mentions',
    'ownerId',
  ],
  ...[
    'parentId',
    'recruiterIds',
    'referredById',
    'requesterRoles',
    'roleIds',
    'sloIds',
    'templateId',
    'transferOwnedTo',
    'workspaceId',
  ],
  'workspaceIds',
];

/** The type of the record with an id; undefined if it is not a record. */
async function typeOf(id: string): Promise<Resource | undefined> {
  for (const resource of platform.app.get(ResourceRegistry).everything()) {
    const { rows } = await platform.admin.query(`select 1 from ${resource.service.table} where id = $1`, [id]);
    if (rows.length > 0) return resource;
  }
  return undefined;
}

async function deny({ definition }: Resource, id: string, scene: Scene, key: TestKey): Promise<void> {
  await platform.admin.query(
    `insert into data.resource_grants (tenant_id, id, object, object_id, principal_type, principal_id, level, effect,
       granted_by, created_at, updated_at)
     values ($1, $2, $3, $4, 'api_key', $5, 'view', 'deny', '{}', now(), now()) on conflict do nothing`,
    [scene.tenantId, uuidv7(), definition.type, id, key.id],
  );
}

function impersonal({ status, text }: Answer, id: string): unknown {
  return { status, text: text.replaceAll(id, '{id}') };
}

/** The failures of a request, or of its single item. */
function faultsOf({ body }: Answer): unknown {
  const [part] = (body['results'] ?? body['data'] ?? []) as { problem?: Json; error?: Json }[];
  const problem = part?.problem ?? part?.error ?? body;
  return problem['errors'] ?? [problem];
}

describe.each(NAMING)('$name', ({ operation, places }: { operation: Operation; places: Place[] }) => {
  let scene: TestTenant & Scene;
  let key: TestKey;
  beforeAll(async () => {
    scene = sceneOf(platform, await platform.tenant(), 'naming');
    key = await makeKey(platform.admin, scene.id);
  });

  it('does not distinguish an invisible record from an unknown one', async () => {
    const headers = { 'x-api-key': key.text, 'x-request-id': 'visible-references' };
    for (const place of places) {
      const id = await place.make(scene);
      const resource = await typeOf(id);
      if (!resource) {
        expect(OF_NO_RECORD).toContain(place.name.split('/').findLast((part) => !/^\d+$/.test(part)));
        continue;
      }
      tried.add(`${operation.id} ${place.name}`);
      const base = await callOf(operation, scene);
      await deny(resource, id, scene, key);
      const ask = (named: string) => send(platform.anonymous(), operation, place.build(base, named), headers);
      const hidden = await ask(id);
      const unknownId = uuidv7();
      const unknown = await ask(unknownId);
      const [outcome, expected] = [impersonal(hidden, id), impersonal(unknown, unknownId)];
      expect({ place: place.name, outcome }).toEqual({ place: place.name, outcome: expected });
      expect(faultsOf(hidden)).toMatchObject([{ code: expect.stringMatching(/^(unknown_|not_found$)/) as string }]);
    }
  });
});

it('was tried for all references between records', () => {
  expect([...tried].sort()).toEqual(
    expect.arrayContaining([
      'finance.invoices.create body /lineItems/0/productId',
      'finance.payments.create body /allocations/0/invoiceId',
      'sales.deals.create body /contactIds/0',
      'work.tasks.update body /blockedByIds/0',
    ]),
  );
});
