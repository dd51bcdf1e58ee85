import { lifecycle } from '#libs/kernel/lifecycle.js';

/** Type key of a webhook endpoint; also the beginning of its event types. */
export const ENDPOINT_TYPE = 'webhook.endpoint';

export const ENDPOINT_STATUSES = ['enabled', 'paused', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/** Why an endpoint is disabled: somebody asked for it, or it answered 410 Gone. */
export const DISABLED_REASONS = ['requested', 'endpoint_gone'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** Whatever matches while an endpoint is not enabled is held for it. */
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
