import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN } from '#libs/config/settings.js';
import { escapePointer } from '#libs/http/field.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { type NetworkSettings, networksOf, type OperatorNetworks } from '#libs/outbound/address.js';
import { Resolver } from '#libs/outbound/resolver.js';
import { EventCatalogue, matches } from '#libs/outbox/event-catalogue.js';
import { EndpointSecrets } from '#libs/webhooks/lanes/endpoint-secrets.js';
import { checkVersions } from '#libs/webhooks/sending/payload-versions.js';
import { checkTargetUrl } from '#libs/webhooks/target-url.js';
import { keptHeaders, mergeHeaders, tooManyHeaders } from './custom-headers.js';
import { type Endpoint, TIMEOUT_MS } from './endpoint.js';
import type { EndpointPatch, NewEndpoint } from './endpoint.requests.js';

const EDITABLE = [
  'url',
  'eventTypes',
  'description',
  'filter',
  'payloadMode',
  'schemaVersions',
  'ordering',
  'maxPerSecond',
  'maxConcurrency',
  'timeoutMs',
  'headersSealed',
  'customHeaderNames',
] as const;

/** The fields of an endpoint that users set, as stored. */
type Content = Pick<Endpoint, (typeof EDITABLE)[number]>;

/** Converts input to stored values. */
@Injectable()
export class EndpointInputs {
  private readonly networks: OperatorNetworks;

  constructor(
    private readonly secrets: EndpointSecrets,
    private readonly events: EventCatalogue,
    private readonly resolver: Resolver,
    @Inject(SETTINGS_TOKEN) settings: NetworkSettings,
  ) {
    this.networks = networksOf(settings);
  }

  /**
   * Checks beyond single fields: whether the URL may be called, and whether event types and versions exist. Uses DNS,
   * so never call it in a transaction.
   * @throws Problem 400 with all violations.
   */
  async check({ url, eventTypes = [], schemaVersions = {} }: EndpointPatch): Promise<void> {
    const { networks, resolver } = this;
    const violations: Violation[] = eventTypes.flatMap((pattern, index) =>
      this.events.matchesAny(pattern)
        ? []
        : [{ pointer: `/eventTypes/${index}`, code: 'unknown_event_type', detail: 'No event type matches this.' }],
    );
    violations.push(...checkVersions(this.events, schemaVersions, '/schemaVersions'));
    if (url !== undefined) violations.unshift(...(await checkTargetUrl(url, { ...networks, resolver })));
    if (violations.length > 0) throw Problem.validation(violations);
  }

  /** The content of a new endpoint. */
  async contentOf(id: string, input: NewEndpoint): Promise<Content> {
    const { url, eventTypes, customHeaders = {} } = input;
    return {
      url,
      eventTypes,
      description: input.description ?? null,
      filter: input.filter ?? null,
      payloadMode: input.payloadMode ?? 'full',
      schemaVersions: { ...this.events.pinnable(eventTypes), ...input.schemaVersions },
      ordering: input.ordering ?? 'none',
      maxPerSecond: input.maxPerSecond ?? null,
      maxConcurrency: input.maxConcurrency ?? null,
      timeoutMs: input.timeoutMs ?? TIMEOUT_MS,
      headersSealed: await this.secrets.sealHeaders(customHeaders, id),
      customHeaderNames: Object.keys(customHeaders),
    };
  }

  /**
   * The changes of a merge patch.
   * @throws Problem 400 for too many headers, and for headers that would go to another origin.
   */
  async changesOf(row: Endpoint, patch: EndpointPatch): Promise<Partial<Content>> {
    const { customHeaders, schemaVersions, ...rest } = patch;
    refuseLeading(row, patch);
    const wanted: Partial<Content> = {
      ...rest,
      schemaVersions: { ...this.newlyPinned(row, patch), ...row.schemaVersions, ...schemaVersions },
      ...(customHeaders === undefined ? {} : await this.headersAfter(row, customHeaders)),
    };
    const changed = EDITABLE.filter((field) => field in wanted && !isDeepStrictEqual(row[field], wanted[field]));
    return Object.fromEntries(changed.map((field) => [field, wanted[field]]));
  }

  /** Versions of newly subscribed types. Other types keep their versions. */
  private newlyPinned({ eventTypes: known }: Endpoint, { eventTypes = [] }: EndpointPatch): Record<string, number> {
    const pinned = Object.entries(this.events.pinnable(eventTypes));
    return Object.fromEntries(pinned.filter(([type]) => !known.some((pattern) => matches(pattern, type))));
  }

  /** Empty if the headers are unchanged: encrypting them again would look like a change. */
  private async headersAfter(row: Endpoint, patch: Record<string, string | null> | null): Promise<Partial<Content>> {
    const { id, headersSealed } = row;
    const before = await this.secrets.openHeaders(headersSealed, id);
    const after = mergeHeaders(before, patch);
    if (isDeepStrictEqual(before, after)) return {};
    const faults = tooManyHeaders(after);
    if (faults.length > 0) throw Problem.validation(faults.map((fault) => ({ pointer: '/customHeaders', ...fault })));
    return { headersSealed: await this.secrets.sealHeaders(after, id), customHeaderNames: Object.keys(after) };
  }
}

/**
 * Headers belong to the origin for which they were set: a caller who does not know their values must not be able to
 * send them elsewhere.
 * @throws Problem 400 for each header that the patch does not set again.
 */
function refuseLeading({ url, customHeaderNames }: Endpoint, patch: EndpointPatch): void {
  if (patch.url === undefined) return;
  const [before, after] = [new URL(url).origin, new URL(patch.url).origin];
  if (before === after) return;
  const kept =
    patch.customHeaders === undefined ? customHeaderNames : keptHeaders(customHeaderNames, patch.customHeaders);
  if (kept.length === 0) return;
  const detail = `The header was given for ${before}. Say its value for ${after} too, or null to leave it out.`;
  throw Problem.validation(
    kept.map((name) => ({ pointer: `/customHeaders/${escapePointer(name)}`, code: 'required', detail })),
  );
}
