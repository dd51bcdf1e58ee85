import { Injectable } from '@nestjs/common';
import { SealedColumn } from '#libs/sealing/sealed-column.js';
import { Sealer } from '#libs/sealing/sealer.js';

/** Custom headers of an endpoint's deliveries: values by name, as sent. */
export type CustomHeaders = Record<string, string>;

const TABLE = 'data.webhook_endpoints';
const SECRET = new SealedColumn(TABLE, 'secret_sealed');
const PREVIOUS_SECRET = new SealedColumn(TABLE, 'previous_secret_sealed', { name: SECRET.column });
const HEADERS = new SealedColumn(TABLE, 'headers_sealed');

export const ENDPOINT_SEALED_COLUMNS = [SECRET, PREVIOUS_SECRET, HEADERS];

/**
 * Encrypts the secrets of webhook endpoints of the current tenant. Current and previous secret have the same encryption
 * context, so rotation only moves the ciphertext.
 */
@Injectable()
export class EndpointSecrets {
  constructor(private readonly sealer: Sealer) {}

  seal(secret: string, endpointId: string): Promise<string> {
    return this.sealer.seal(secret, SECRET, endpointId);
  }

  /** @throws Error if the value was encrypted for another endpoint, or with another master key. */
  open(sealed: string, endpointId: string): Promise<string> {
    return this.sealer.open(sealed, SECRET, endpointId);
  }

  /** Null if there are no headers. */
  async sealHeaders(headers: CustomHeaders, endpointId: string): Promise<string | null> {
    if (Object.keys(headers).length === 0) return null;
    return this.sealer.seal(JSON.stringify(headers), HEADERS, endpointId);
  }

  /** Empty for null. @throws Error as {@link open}. */
  async openHeaders(sealed: string | null, endpointId: string): Promise<CustomHeaders> {
    if (sealed === null) return {};
    return JSON.parse(await this.sealer.open(sealed, HEADERS, endpointId)) as CustomHeaders;
  }
}
