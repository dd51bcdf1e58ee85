import { Injectable } from '@nestjs/common';
import { Sealer } from '#libs/sealing/sealer.js';

/** Custom headers of an endpoint's deliveries: values by name, as sent. */
export type CustomHeaders = Record<string, string>;

/**
 * Encrypts the secrets of webhook endpoints of the current tenant. Current and previous secret have the same encryption
 * context, so rotation only moves the ciphertext.
 */
@Injectable()
export class EndpointSecrets {
  constructor(private readonly sealer: Sealer) {}

  seal(secret: string, endpointId: string): Promise<string> {
    return this.sealer.seal(secret, placeOf('secret_sealed', endpointId));
  }

  /** @throws Error if the value was encrypted for another endpoint, or with another master key. */
  open(sealed: string, endpointId: string): Promise<string> {
    return this.sealer.open(sealed, placeOf('secret_sealed', endpointId));
  }

  /** Null if there are no headers. */
  async sealHeaders(headers: CustomHeaders, endpointId: string): Promise<string | null> {
    if (Object.keys(headers).length === 0) return null;
    return this.sealer.seal(JSON.stringify(headers), placeOf('headers_sealed', endpointId));
  }

  /** Empty for null. @throws Error as {@link open}. */
  async openHeaders(sealed: string | null, endpointId: string): Promise<CustomHeaders> {
    if (sealed === null) return {};
    return JSON.parse(await this.sealer.open(sealed, placeOf('headers_sealed', endpointId))) as CustomHeaders;
  }
}

function placeOf(column: 'secret_sealed' | 'headers_sealed', endpointId: string): string {
  return `data.webhook_endpoints|${column}|${endpointId}`;
}
