import type { OutboundRequest } from '#libs/outbound/outbound-client.js';
import type { OutboundResult } from '#libs/outbound/outbound-result.js';

/** Consecutive entries, as sent in one request. */
export interface Batch {
  /** The same for each repetition of the batch. */
  id: string;
  /** Name of the batch below the prefix of a bucket. */
  key: string;
  /** JSON of each entry, with its time. */
  items: readonly { occurredAt: string; json: string }[];
}

/** Sends requests of a destination through the outbound client. */
export type Send = (request: Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body'>) => Promise<OutboundResult>;

/** Where a stream sends its batches. */
export interface Destination {
  /** Sends a batch once, with one of the usable values of the credential. */
  send(batch: Batch): Promise<OutboundResult>;
}

/** The error of a credential that is missing or has the wrong form. */
export const CREDENTIAL_ERROR = 'credential_invalid';

/** The credential of a stream has another form than its kind requires. */
export class CredentialFault extends Error {}

export const USER_AGENT = 'tenant-operating-platform-audit/1.0';

/** One entry per line. */
export const linesOf = ({ items }: Batch): string => items.map(({ json }) => `${json}\n`).join('');

/** Why an attempt failed, as stored and shown; null after a 2xx response. */
export function errorOf({ ok, error, httpStatus }: OutboundResult): string | null {
  return ok ? null : (error ?? `http_${httpStatus}`);
}
