import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type * as Commands from '@aws-sdk/client-s3';
import type { Bucket } from '#libs/config/file-settings.js';
import { assertNoOpenTransaction } from '#libs/outbound/transaction-probe.js';
import { type ByteRange, FileStorage, storageProblem } from './file-storage.js';

type Sdk = typeof Commands;

const CONNECTION_MS = 5_000;
/** For a response to begin, and between two parts of a body. */
const IDLE_MS = 30_000;
const TRIES = 3;
const PAUSE_MS = 200;

/**
 * Stored bytes as objects of a bucket. The SDK finds the credentials (`AWS_ACCESS_KEY_ID`, a profile, the role of the
 * machine). The service verifies the hash of what it receives, because it is part of the path.
 */
export class S3Storage extends FileStorage {
  private connecting: Promise<{ sdk: Sdk; client: Commands.S3Client }> | null = null;

  constructor(private readonly bucket: Bucket) {
    super();
  }

  async put(path: string, localFile: string): Promise<void> {
    const hash = Buffer.from(path.slice(path.lastIndexOf('/') + 1), 'hex').toString('base64');
    await this.ask(async ({ sdk, client }) => {
      const body = createReadStream(localFile);
      try {
        const size = (await stat(localFile)).size;
        await client.send(
          new sdk.PutObjectCommand({ ...this.at(path), Body: body, ContentLength: size, ChecksumSHA256: hash }),
        );
      } finally {
        body.destroy();
      }
    });
  }

  async read(path: string, range?: ByteRange): Promise<Readable> {
    return this.ask(async ({ sdk, client }) => {
      const bytes = range && { Range: `bytes=${range.first}-${range.last}` };
      const { Body: body } = await client.send(new sdk.GetObjectCommand({ ...this.at(path), ...bytes }));
      if (!(body instanceof Readable)) throw new Error('The response of the store has no body.');
      return body;
    });
  }

  async remove(path: string): Promise<void> {
    await this.ask(({ sdk, client }) => client.send(new sdk.DeleteObjectCommand(this.at(path))));
  }

  private at(path: string): { Bucket: string; Key: string } {
    return { Bucket: this.bucket.name, Key: path };
  }

  /** Tries a request several times: each is harmless to repeat. */
  private async ask<T>(request: (access: { sdk: Sdk; client: Commands.S3Client }) => Promise<T>): Promise<T> {
    assertNoOpenTransaction();
    for (let tries = 1; ; tries++) {
      try {
        return await request(await (this.connecting ??= this.connect()));
      } catch (error) {
        if (tries === TRIES) throw storageProblem(error);
        await setTimeout(PAUSE_MS * tries);
      }
    }
  }

  /** Loads the SDK on first use: it takes long to load. */
  private async connect(): Promise<{ sdk: Sdk; client: Commands.S3Client }> {
    const sdk = await import('@aws-sdk/client-s3');
    const { region, endpoint } = this.bucket;
    const client = new sdk.S3Client({
      region,
      ...(endpoint !== null && { endpoint, forcePathStyle: true }),
      maxAttempts: 1, // a stream cannot be sent again
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: CONNECTION_MS, requestTimeout: IDLE_MS, socketTimeout: IDLE_MS },
    });
    return { sdk, client };
  }
}
