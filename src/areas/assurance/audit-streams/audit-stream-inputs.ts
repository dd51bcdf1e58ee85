import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN } from '#libs/config/settings.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { type NetworkSettings, networksOf } from '#libs/outbound/address.js';
import { Resolver } from '#libs/outbound/resolver.js';
import { checkTargetUrl } from '#libs/webhooks/target-url.js';
import { AuditStreamsRepository } from './audit-streams.repository.js';
import { CredentialFault } from './destinations/destination.js';
import { Destinations, type StreamTarget } from './destinations/destinations.service.js';

/** Checks destinations beyond single fields. */
@Injectable()
export class AuditStreamInputs {
  constructor(
    private readonly repository: AuditStreamsRepository,
    private readonly destinations: Destinations,
    private readonly resolver: Resolver,
    @Inject(SETTINGS_TOKEN) private readonly settings: NetworkSettings,
  ) {}

  /**
   * Checks whether the URL may be called, the bucket suits the kind, and the credential can be used. Uses DNS, so never
   * call it in a transaction.
   * @throws Problem 400 with all violations.
   */
  async check(target: StreamTarget): Promise<void> {
    const options = { ...networksOf(this.settings), resolver: this.resolver };
    const violations = await checkTargetUrl(target.url, options);
    violations.push(...bucketViolations(target), ...(await this.credentialViolations(target)));
    if (violations.length > 0) throw Problem.validation(violations);
  }

  private async credentialViolations(target: StreamTarget): Promise<Violation[]> {
    const pointer = '/credentialSecretId';
    if ((await this.repository.secretName(target.credentialSecretId)) === null) return [unknownSecret()];
    try {
      await this.destinations.check(target);
      return [];
    } catch (error) {
      if (!(error instanceof CredentialFault)) throw error;
      return [{ pointer, code: 'invalid_value', detail: error.message }];
    }
  }
}

export const unknownSecret = (): Violation => ({
  pointer: '/credentialSecretId',
  code: 'unknown_reference',
  detail: 'There is no secret with this id.',
});

function bucketViolations(target: StreamTarget): Violation[] {
  const violations: Violation[] = [];
  for (const field of ['bucket', 'region', 'prefix'] as const) {
    const pointer = `/${field}`;
    if (target.kind !== 's3' && target[field] !== null)
      violations.push({ pointer, code: 'not_allowed', detail: 'Only streams of the kind `s3` have it.' });
    if (target.kind === 's3' && target[field] === null && field !== 'prefix')
      violations.push({ pointer, code: 'required', detail: 'A stream of the kind `s3` requires it.' });
  }
  return violations;
}
