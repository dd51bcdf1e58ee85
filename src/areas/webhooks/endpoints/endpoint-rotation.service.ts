import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { EndpointSecrets } from '#libs/webhooks/lanes/endpoint-secrets.js';
import { generateSecret } from '#libs/webhooks/sending/signature.js';
import { type RotatedWebhookSecret, type RotateWebhookSecret } from './endpoint-actions.dto.js';
import { EndpointRecords } from './endpoint-records.js';
import type { Endpoint, ShownEndpoint } from './endpoint.js';

/** Rotates secrets of webhook endpoints. */
@Injectable()
export class EndpointRotationService {
  constructor(
    private readonly records: EndpointRecords,
    private readonly secrets: EndpointSecrets,
    private readonly settings: TenantSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a new secret for an endpoint. The old one is also used for signatures until its grace period ends.
   * @throws Problem 409 `secret_rotation_in_progress` during the grace period of the last rotation, unless forced.
   */
  async rotate(id: string, input: RotateWebhookSecret): Promise<RotatedWebhookSecret> {
    const { force = false } = input;
    const secret = generateSecret();
    const secretSealed = await this.secrets.seal(secret, id);
    return this.records.objects.unit(async (transaction) => {
      const row = await this.records.lock(transaction, id);
      if (!force) this.refuseWithinGrace(row);
      const graceSeconds = input.graceSeconds ?? (await this.settings.get()).developer.webhookSecretGraceSeconds;
      const previousSecretExpiresAt = new Date(this.clock.nowMs() + graceSeconds * 1_000).toISOString();
      const previousSecretSealed = graceSeconds > 0 ? row.secretSealed : null;
      const changes = { secretSealed, previousSecretSealed, previousSecretExpiresAt };
      await this.records.change(transaction, row, changes, 'secret_rotated');
      return { secret, previousSecretExpiresAt };
    });
  }

  /**
   * Ends the grace period of the previous secret, which is then no longer used for signatures.
   * @throws Problem 404 if there is none.
   */
  async revokePrevious(id: string): Promise<ShownEndpoint> {
    return this.records.objects.unit(async (transaction) => {
      const row = await this.records.lock(transaction, id);
      if (!this.isWithinGrace(row)) throw new Problem('not_found', 'There is no previous secret that is still valid.');
      const changes = { previousSecretSealed: null, previousSecretExpiresAt: this.clock.now().toISOString() };
      return this.records.change(transaction, row, changes, 'secret_revoked', { riskLevel: 'high' });
    });
  }

  private isWithinGrace({ previousSecretSealed, previousSecretExpiresAt }: Endpoint): boolean {
    return previousSecretSealed !== null && Date.parse(previousSecretExpiresAt!) > this.clock.nowMs();
  }

  private refuseWithinGrace(row: Endpoint): void {
    const { previousSecretExpiresAt } = row;
    if (!this.isWithinGrace(row)) return;
    throw new Problem(
      'secret_rotation_in_progress',
      `The previous secret is valid until ${previousSecretExpiresAt}; pass force to drop it now.`,
      { extensions: { previousSecretExpiresAt } },
    );
  }
}
