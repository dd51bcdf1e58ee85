import { HOUR_MS } from '#libs/kernel/durations.js';
import { minuteOf, oneLine } from '#libs/mail/mail-text.js';
import type { HealthReason } from '#libs/webhooks/lanes/endpoint-health.js';
import type { FailedAttempt } from '../endpoint-insight/endpoint-attempts.repository.js';
import { endpointName, type ShownEndpoint } from './endpoint.js';

/**
 * Texts of emails. They contain only the host of the endpoint's URL, because path and query may contain credentials.
 */
export interface Letter {
  subject: string;
  text: string;
}

/** Values for emails about an endpoint. */
export interface LetterFacts {
  endpoint: Pick<ShownEndpoint, 'id' | 'url' | 'description' | 'health'>;
  /** Name of the tenant. */
  tenant: string;
  /** URL of the endpoint in the API. */
  link: string;
  /** Null if there is none, or if it adds no information. */
  lastFailure: FailedAttempt | null;
  /** Number of days that events are retained. */
  retentionDays: number;
  /** Time of the email. */
  at: string;
}

const DISABLED_BECAUSE: Record<HealthReason, string> = {
  endpoint_gone: 'it answered 410, which says that it is gone',
  endpoint_request: 'an answer of it asked for that, with the header "webhook-delivery: disable"',
  failing: 'deliveries to it have been failing for days',
};

/** An endpoint has been failing for a while. */
export function warningOf(facts: LetterFacts): Letter {
  const { endpoint, tenant, retentionDays, at } = facts;
  const { failingSince, willDisableAt } = endpoint.health;
  const hours = Math.floor((Date.parse(at) - Date.parse(failingSince!)) / HOUR_MS); // who is warned about has been failing
  const duration = hours === 1 ? '1 hour' : `${hours} hours`;
  const host = endpointName(endpoint);
  return letter(`Webhook endpoint ${host} has been failing for ${duration}`, [
    `Deliveries of ${oneLine(tenant)} to the webhook endpoint ${host} have been failing for ${duration}.`,
    [...figuresOf(facts), `Disabled at: ${minuteOf(willDisableAt!)}, unless an attempt succeeds before`].join('\n'),
    `Nothing is lost meanwhile: what fails is tried again for five days, what occurs while the endpoint is disabled is held for it, and all of it can be sent for as long as events are kept: ${retentionDays} days.`,
    whatToDo(facts),
  ]);
}

/** Failed deliveries have disabled an endpoint. */
export function disablingOf(facts: LetterFacts, reason: HealthReason): Letter {
  const { endpoint, tenant, retentionDays } = facts;
  const host = endpointName(endpoint);
  return letter(`Webhook endpoint ${host} has been disabled`, [
    `The webhook endpoint ${host} of ${oneLine(tenant)} has been disabled: ${DISABLED_BECAUSE[reason]}.`,
    figuresOf(facts).join('\n'),
    `Nothing is lost meanwhile: what occurs from now on, and what was waiting, is held for the endpoint for as long as events are kept: ${retentionDays} days.`,
    whatToDo(facts),
  ]);
}

/** A delivery has succeeded after a warning. `endpoint` is the state before. */
export function recoveryOf(facts: LetterFacts): Letter {
  const { endpoint, tenant, link } = facts;
  const host = endpointName(endpoint);
  return letter(`Webhook endpoint ${host} works again`, [
    `The webhook endpoint ${host} of ${oneLine(tenant)} takes deliveries again.`,
    figuresOf(facts).join('\n'),
    `What still waits is sent by itself. To have what was given up sent again: POST ${link}/recover`,
  ]);
}

function letter(subject: string, paragraphs: readonly string[]): Letter {
  return { subject, text: paragraphs.join('\n\n') };
}

function figuresOf({ endpoint: { id, description, health }, lastFailure }: LetterFacts): string[] {
  const { failingSince, failedAttempts } = health;
  const about = oneLine(description ?? '');
  return [
    `Endpoint: ${id}${about === '' ? '' : ` (${about})`}`,
    ...(failingSince === null
      ? []
      : [`First failure: ${minuteOf(failingSince)}`, `Attempts that failed since then: ${failedAttempts}`]),
    ...(lastFailure === null ? [] : [`Last failure: ${minuteOf(lastFailure.startedAt)}, ${failureOf(lastFailure)}`]),
  ];
}

function failureOf({ error, httpStatus }: FailedAttempt): string {
  return httpStatus === null ? error : `${error} ${httpStatus}`;
}

function whatToDo({ link }: LetterFacts): string {
  return [
    'What to do:',
    `1. See what became of the attempts: GET ${link}/attempts`,
    '2. Mend the endpoint.',
    `3. If it is disabled, enable it, by which what is held is sent: POST ${link}/enable`,
    `4. Have what was given up sent again: POST ${link}/recover`,
  ].join('\n');
}
