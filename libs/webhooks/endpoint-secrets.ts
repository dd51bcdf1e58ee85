import { Injectable } from '@nestjs/common';
import { Sealer } from '#libs/sealing/sealer.js';

/** Seals the secrets of webhook endpoints of the tenant in scope. Current and previous secret share their place, so that rotation only moves the text. */
@Injectable()
export class EndpointSecrets {
  constructor(private readonly sealer: Sealer) {}

  seal(secret: string, endpointId: string): Promise<string> {
    return this.sealer.seal(secret, placeOf(endpointId));
  }

  /** @throws Error when the value was sealed for another endpoint, or with another master key. */
  open(sealed: string, endpointId: string): Promise<string> {
    return this.sealer.open(sealed, placeOf(endpointId));
  }
}

function placeOf(endpointId: string): string {
  return `data.webhook_endpoints|secret_sealed|${endpointId}`;
}
