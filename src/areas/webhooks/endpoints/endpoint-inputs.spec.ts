import { Resolver } from '#libs/outbound/resolver.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import type { EndpointSecrets } from '#libs/webhooks/lanes/endpoint-secrets.js';
import type { Endpoint } from './endpoint.js';
import { EndpointInputs } from './endpoint-inputs.js';

class NoResolver extends Resolver {
  resolve(): Promise<never> {
    throw new Error('asked');
  }
}

const DEAL = { description: '', data: {}, example: {}, subjectType: 'sales.deal', exampleUrl: '/' };

/** `sales.deal.won` has two versions, `sales.deal.lost` and `sales.lead.created` have one. */
function inputs(): { catalogue: EventCatalogue; inputs: EndpointInputs } {
  const catalogue = new EventCatalogue();
  const declare = (type: string, version: number, more: object = {}) =>
    catalogue.add({ ...DEAL, type, version, ...more });
  declare('sales.deal.lost', 1);
  declare('sales.lead.created', 1);
  declare('sales.deal.won', 1, { deprecatedAt: '2026-11-21T00:00:00Z' });
  declare('sales.deal.won', 2, { downgrade: (data: object) => data });
  const secrets = { sealHeaders: () => Promise.resolve(null) } as Partial<EndpointSecrets> as EndpointSecrets;
  return {
    catalogue,
    inputs: new EndpointInputs(secrets, catalogue, new NoResolver(), {
      WEBHOOK_ALLOWED_CIDRS: [],
      WEBHOOK_DENIED_CIDRS: [],
    }),
  };
}

const content = (eventTypes: string[], schemaVersions: Record<string, number> | undefined = undefined) =>
  inputs().inputs.contentOf('id', { url: 'https://example.com', eventTypes, schemaVersions });

describe('the versions that an endpoint keeps to', () => {
  it('are the newest of what it subscribes to, unless it says otherwise', async () => {
    expect((await content(['sales.deal.*'])).schemaVersions).toEqual({ 'sales.deal.won': 2 });
    expect((await content(['sales.lead.*'])).schemaVersions).toEqual({});
    expect((await content(['*'], { 'sales.deal.won': 1 })).schemaVersions).toEqual({ 'sales.deal.won': 1 });
  });

  it('stay when the subscription grows, and are the newest of what is new in it', async () => {
    const { inputs: subject } = inputs();
    const row = (eventTypes: string[], schemaVersions: Record<string, number>) =>
      ({ ...({} as Endpoint), eventTypes, schemaVersions }) satisfies Endpoint;
    const early = row(['sales.deal.won'], {}); // from when there was but one version
    expect(await subject.changesOf(early, { eventTypes: ['sales.*'] })).toEqual({ eventTypes: ['sales.*'] });
    const other = row(['sales.lead.created'], {});
    expect(await subject.changesOf(other, { eventTypes: ['sales.*'] })).toEqual({
      eventTypes: ['sales.*'],
      schemaVersions: { 'sales.deal.won': 2 },
    });
    expect(await subject.changesOf(early, { schemaVersions: { 'sales.deal.won': 2 } })).toEqual({
      schemaVersions: { 'sales.deal.won': 2 },
    });
    expect(await subject.changesOf(row(['*'], { 'sales.deal.won': 1 }), { eventTypes: ['*'] })).toEqual({});
  });
});
