import { Readable } from 'node:stream';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { isObject } from '#libs/kernel/is-object.js';
import type { OutboundResult } from '#libs/outbound/outbound-result.js';
import { type Batch, CredentialFault, type Destination, linesOf, type Send, USER_AGENT } from './destination.js';

/** What the SDK passes to its transport. */
interface SdkRequest {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
}

/** Set by the outbound client. */
const LEFT_OUT = new Set(['connection', 'content-length', 'expect', 'host', 'transfer-encoding', 'user-agent']);

interface Place {
  url: string;
  bucket: string;
  region: string;
  prefix: string | null;
}

/** A bucket of an S3-compatible service: one object per batch. A repeated batch overwrites its object. */
export class S3Destination implements Destination {
  private readonly credentials: { accessKeyId: string; secretAccessKey: string };

  constructor(
    private readonly place: Place,
    private readonly send_: Send,
    credential: string,
  ) {
    this.credentials = credentialsIn(credential);
  }

  async send(batch: Batch): Promise<OutboundResult> {
    // Loaded on first use: the SDK takes longer to load than the rest of the worker.
    const { PutObjectCommand, S3Client } = await import('@aws-sdk/client-s3');
    let result: OutboundResult | null = null;
    const client = new S3Client({
      endpoint: this.place.url,
      region: this.place.region,
      credentials: this.credentials,
      forcePathStyle: true,
      maxAttempts: 1,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      requestHandler: transport(async (request) => (result = await this.send_(request))),
    });
    const command = new PutObjectCommand({
      Bucket: this.place.bucket,
      Key: `${this.place.prefix ?? ''}${batch.key}.ndjson`,
      ContentType: 'application/x-ndjson',
      Body: linesOf(batch),
    });
    try {
      await client.send(command);
    } catch (error) {
      if (result === null) throw error;
    }
    return result!;
  }
}

/** A transport of the SDK that uses the outbound client. */
function transport(send: Send): NonNullable<S3ClientConfig['requestHandler']> {
  return {
    handle: async (request: SdkRequest) => {
      const { httpStatus, error, responseHeaders, bodyExcerpt } = await send({
        method: request.method as 'PUT',
        url: urlOf(request),
        headers: {
          ...Object.fromEntries(Object.entries(request.headers).filter(([name]) => !LEFT_OUT.has(name.toLowerCase()))),
          'user-agent': USER_AGENT,
        },
        body: request.body === undefined ? null : (request.body as string | Buffer),
      });
      if (error !== null || httpStatus === null) throw new Error(error ?? 'no response');
      const response = { statusCode: httpStatus, headers: responseHeaders, body: Readable.from([bodyExcerpt]) };
      return { response };
    },
  }; // its types are those of the SDK's internal packages
}

function urlOf({ protocol, hostname, port, path, query = {} }: SdkRequest): string {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat()) url.searchParams.append(name, each ?? '');
  return url.href;
}

function credentialsIn(text: string): { accessKeyId: string; secretAccessKey: string } {
  let parsed: unknown = null;
  try {
    parsed = JSON.parse(text);
  } catch {
    // reported below
  }
  const { accessKeyId, secretAccessKey } = isObject(parsed) ? parsed : {};
  if (typeof accessKeyId === 'string' && typeof secretAccessKey === 'string' && accessKeyId && secretAccessKey)
    return { accessKeyId, secretAccessKey };
  throw new CredentialFault('It must be JSON with `accessKeyId` and `secretAccessKey`.');
}
