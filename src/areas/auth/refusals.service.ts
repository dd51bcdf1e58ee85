import { Injectable, Logger } from '@nestjs/common';
import { type ProvenPerson, SignInRefused } from '#libs/auth/oidc/id-tokens.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import { CHALLENGE } from '#libs/http/problems/challenge.js';
import { RefusalTrail } from '#libs/http/problems/refusal-trail.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, type TenantFacts } from '#libs/tenancy/scope.js';
import { FailedSignInsService, SIGN_IN_FAILED } from './failed-sign-ins.service.js';

/** What the operator can do about reasons that depend on the identity provider. */
const REMEDIES: Record<string, string> = {
  email_not_verified:
    'the ID token of a first sign-in has no verified address (email with email_verified or xms_edov true); see OIDC_TRUST_EMAIL',
  token_wrong_aud: 'see OIDC_CLIENT_ID and OIDC_AUDIENCE',
  token_wrong_iss: 'see OIDC_ISSUER',
  token_wrong_party: 'see OIDC_AUDIENCE',
};

/** Says who signs in, as soon as that is proven; returns its argument. */
export type Identified = (person: ProvenPerson) => ProvenPerson;

/**
 * Handles failed sign-ins: they count towards the rate limit of their address, are logged, and appear in the tenant's
 * audit log; those of its members are also told by an event.
 */
@Injectable()
export class RefusalsService {
  private readonly logger = new Logger('sign-in');

  constructor(
    private readonly addresses: AddressLimits,
    private readonly refusals: RefusalTrail,
    private readonly failed: FailedSignInsService,
  ) {}

  /**
   * Runs a sign-in for a tenant, or for none that there is.
   * @throws Problem 401 in the place of {@link SignInRefused}; 429 when the address has failed too often.
   */
  async guard<T>(tenant: TenantFacts | null, signIn: (identified: Identified) => Promise<T>): Promise<T> {
    let proven: ProvenPerson | null = null;
    try {
      return await signIn((person) => (proven = person));
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
      throw await this.problemOf(error, tenant, proven);
    }
  }

  private async problemOf(
    { reason, detail }: SignInRefused,
    tenant: TenantFacts | null,
    person: ProvenPerson | null,
  ): Promise<Problem> {
    const scope = currentScope();
    const limited = await this.addresses.count(scope.clientIp ?? '', 'failed');
    if (limited) return limited;
    const remedy = REMEDIES[reason];
    this.logger.warn(`A sign-in was refused: ${reason}${remedy ? ` (${remedy})` : ''}`);
    if (tenant) {
      scope.tenant = tenant;
      scope.actor = { type: 'anonymous', id: null, name: 'anonymous' };
      const fact = { action: SIGN_IN_FAILED, target: null, reason };
      await this.refusals.record(
        fact,
        person ? (transaction) => this.failed.tell(transaction, person, reason) : undefined,
      );
      scope.tenant = null;
    }
    return new Problem('unauthenticated', detail, { headers: { 'www-authenticate': CHALLENGE } });
  }
}
