import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/kernel/clock.js';
import { OutboundClient } from '#libs/outbound/outbound-client.js';
import type { OutboundResult } from '#libs/outbound/outbound-result.js';
import { Secrets } from '#src/areas/vault/secrets/secret-values.service.js';
import type { AuditStream } from '../audit-stream.js';
import { AuditStreamsRepository } from '../audit-streams.repository.js';
import { type Batch, CredentialFault, type Destination, type Send } from './destination.js';
import { HttpsDestination } from './https.js';
import { S3Destination } from './s3.js';
import { SplunkDestination } from './splunk.js';

/** Limit of one attempt. */
export const TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 65_536;
const REFUSED = new Set([401, 403]);

/** What a destination is opened from. */
export type StreamTarget = Pick<AuditStream, 'kind' | 'url' | 'bucket' | 'region' | 'prefix' | 'credentialSecretId'>;

/** The destinations of streams, opened with their credentials. */
@Injectable()
export class Destinations {
  constructor(
    private readonly repository: AuditStreamsRepository,
    private readonly secrets: Secrets,
    private readonly client: OutboundClient,
    private readonly clock: Clock,
  ) {}

  /**
   * The destination of a stream. Must not run inside a transaction.
   * @param signal aborts its requests
   * @throws CredentialFault if the secret does not exist, has expired, or has the wrong form.
   */
  async open(target: StreamTarget, signal?: AbortSignal): Promise<Destination> {
    return this.openWith(target, await this.values(target, (name) => this.secrets.use(name)), signal);
  }

  /** Checks the form of a credential without using it. @throws CredentialFault like {@link open}. */
  async check(target: StreamTarget): Promise<void> {
    this.openWith(target, await this.values(target, (name) => this.secrets.read(name)));
  }

  private async values(
    { credentialSecretId }: StreamTarget,
    read: (name: string) => Promise<string[]>,
  ): Promise<string[]> {
    const name = await this.repository.secretName(credentialSecretId);
    const values = name === null ? [] : await read(name);
    if (values.length === 0) throw new CredentialFault('The secret does not exist or has expired.');
    return values;
  }

  private openWith(target: StreamTarget, values: readonly string[], signal?: AbortSignal): Destination {
    const send: Send = (request) =>
      this.client.requestWhole(
        { ...request, timeoutMs: TIMEOUT_MS, idempotent: true, ...(signal && { signal }) },
        MAX_ANSWER_BYTES,
      );
    if (target.kind === 'https') return new HttpsDestination(target.url, send, values, () => this.clock.nowMs());
    return new EitherCredential(values.map((value) => openWith(target, send, value)));
  }
}

function openWith({ kind, url, bucket, region, prefix }: StreamTarget, send: Send, value: string): Destination {
  if (kind === 'splunk_hec') return new SplunkDestination(url, send, value);
  return new S3Destination({ url, bucket: bucket!, region: region!, prefix }, send, value);
}

/** Uses the current credential, and during its grace the previous one if the destination refuses the current one. */
class EitherCredential implements Destination {
  constructor(private readonly destinations: readonly Destination[]) {}

  async send(batch: Batch): Promise<OutboundResult> {
    const [current, previous] = this.destinations;
    const result = await current!.send(batch);
    return previous && REFUSED.has(result.httpStatus ?? 0) ? previous.send(batch) : result;
  }
}
