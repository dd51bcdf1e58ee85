import { Injectable } from '@nestjs/common';
import { OperatorKeys } from '#libs/auth/operator-keys.js';
import { bearerOf } from '#libs/auth/strategies.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import { Problem } from '#libs/kernel/problem.js';
import { type Actor, currentScope } from '#libs/tenancy/scope.js';

/** What a 401 says about how to authenticate. */
const CHALLENGE = 'Bearer realm="platform operator"';

/** Who founds a tenant. */
export interface Founder {
  /** As the audit log of the tenant names them. */
  actor: Actor;
}

/** Finds out who asks for something that no tenant's credential is for. */
@Injectable()
export class FoundersService {
  constructor(
    private readonly keys: OperatorKeys,
    private readonly addresses: AddressLimits,
  ) {}

  /** The operator whose key the `Authorization` header has. @throws Problem 401; 429 when the address has failed too often. */
  async operator(authorization: string | undefined): Promise<Founder> {
    const text = bearerOf(authorization);
    const key = text === null ? null : await this.keys.find(text);
    if (key) return { actor: { type: 'system', id: key.id, name: `operator key ${key.name}` } };
    const limited = await this.addresses.count(currentScope().clientIp ?? '', 'failed');
    const headers = { 'www-authenticate': CHALLENGE };
    throw limited ?? new Problem('unauthenticated', 'This takes the key of an operator.', { headers });
  }
}
