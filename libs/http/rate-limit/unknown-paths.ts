import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CredentialRefused, Credentials, TenantRequired } from '#libs/auth/credentials.js';
import type { Principal } from '#libs/auth/principal.js';
import { sessionCookiesOf } from '#libs/auth/sessions/session-cookie.js';
import { bearerOf } from '#libs/auth/strategies.js';
import type { Problem } from '#libs/kernel/problem.js';
import { AddressLimits } from '../address-limits.js';
import { CallerLimits } from './caller-limits.js';
import { limitNameOf, rateClassOf } from './throttlers.js';

/** Limits requests to paths without a route, which no guard sees, like all others of their caller. */
@Injectable()
export class UnknownPaths {
  constructor(
    private readonly credentials: Credentials,
    private readonly addresses: AddressLimits,
    private readonly limits: CallerLimits,
  ) {}

  /** Counts a request. @returns the refusal; null if the limit allows the request. */
  async count(request: FastifyRequest, reply: FastifyReply): Promise<Problem | null> {
    const { method, scope } = request;
    const ip = scope.clientIp ?? '';
    const text = await this.credentialOf(request);
    if (text === null) return this.addresses.count(ip, 'unauthenticated');
    let principal: Principal;
    try {
      principal = await this.credentials.accept(text, ip);
    } catch (error) {
      if (!(error instanceof CredentialRefused)) throw error;
      return this.addresses.count(ip, error instanceof TenantRequired ? 'unauthenticated' : 'failed');
    }
    const counting = { rateClass: rateClassOf(method, {}), route: 'none' };
    return this.limits.count(principal, limitNameOf(principal, method, {}), counting, { request, reply });
  }

  private async credentialOf({ headers, scope }: FastifyRequest): Promise<string | null> {
    const key = headers['x-api-key'];
    if (typeof key === 'string') return key;
    if (headers.authorization !== undefined) return bearerOf(headers.authorization) ?? '';
    return this.credentials.chosen(sessionCookiesOf(headers.cookie), scope.clientIp ?? '');
  }
}
