import { lifecycle } from '#libs/kernel/lifecycle.js';

/** Type key of a webhook endpoint and prefix of its event types. */
export const ENDPOINT_TYPE = 'webhook.endpoint';

export const ENDPOINT_STATUSES = ['enabled', 'paused', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/**
 * Why an endpoint is disabled: by a user, by a 410 Gone response, by a response header, because it has failed for too
 * long, or because it is not verified yet.
 */
export const DISABLED_REASONS = ['requested', 'endpoint_gone', 'endpoint_request', 'failing', 'unverified'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** Whether the events of one record are sent in order. */
export const ORDERINGS = ['none', 'per_resource'] as const;
export type Ordering = (typeof ORDERINGS)[number];

/** Matching events are held while an endpoint is not enabled. */
export const endpointLifecycle = lifecycle({
  states: ENDPOINT_STATUSES,
  initial: 'enabled',
  transitions: {
    enable: {
      from: ['paused', 'disabled'],
      to: 'enabled',
      permission: 'webhooks:write',
      event: 'enabled',
      summary: 'Enable a webhook endpoint',
      happened: 'A webhook endpoint was enabled.',
    },
    disable: {
      from: ['enabled', 'paused'],
      to: 'disabled',
      permission: 'webhooks:write',
      event: 'disabled',
      summary: 'Disable a webhook endpoint',
      happened: 'A webhook endpoint was disabled.',
      risk: 'medium',
    },
    pause: {
      from: ['enabled'],
      to: 'paused',
      permission: 'webhooks:write',
      event: 'paused',
      summary: 'Pause a webhook endpoint',
      happened: 'A webhook endpoint was paused.',
    },
  },
});

export type EndpointAction = keyof typeof endpointLifecycle.transitions;
