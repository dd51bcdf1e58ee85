import { Inject, Injectable } from '@nestjs/common';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { linkTo } from '#libs/http/public-url.js';
import { Clock } from '#libs/kernel/clock.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import type { Notice } from '#libs/notifications/notice.js';
import { Notifier } from '#libs/notifications/notifier.js';
import type { HealthReason } from '#libs/webhooks/lanes/endpoint-health.js';
import { EndpointAttemptsRepository, type FailedAttempt } from '../endpoint-insight/endpoint-attempts.repository.js';
import { disablingOf, type Letter, type LetterFacts, recoveryOf, warningOf } from './endpoint-letter-texts.js';
import { endpointPath, type ShownEndpoint } from './endpoint.js';
import { ENDPOINT_TYPE } from './endpoint.lifecycle.js';

/** Maximum number of recipients per endpoint. */
const MAX_READERS = 20;
/** An email that cannot be sent within this time is no longer useful. */
const USEFUL_MS = 5 * 86_400_000;

/**
 * Notifications about failing endpoints, for the members who may change endpoints. Each is added to the transaction of
 * the change.
 */
@Injectable()
export class EndpointLetters {
  constructor(
    private readonly attempts: EndpointAttemptsRepository,
    private readonly holders: PermissionHolders,
    private readonly notifier: Notifier,
    private readonly outbox: MailOutbox,
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** Warns about an endpoint that is failing. */
  async failing(transaction: Transaction, endpoint: ShownEndpoint): Promise<void> {
    const lastFailure = await this.attempts.lastFailure(endpoint.id);
    await this.tell(transaction, await this.noticeOf(endpoint, warningOf, lastFailure));
  }

  /** Reports that deliveries have disabled an endpoint. */
  async disabled(transaction: Transaction, endpoint: ShownEndpoint, reason: HealthReason): Promise<void> {
    // A response that disables the endpoint is not stored yet.
    const lastFailure = reason === 'failing' ? await this.attempts.lastFailure(endpoint.id) : null;
    await this.tell(transaction, await this.noticeOf(endpoint, (facts) => disablingOf(facts, reason), lastFailure));
  }

  /**
   * Reports that an endpoint works again, unless nobody was warned. Sends instant mails only if a warning was sent.
   * @param endpoint the failing state; waiting emails about it are cancelled in the transaction
   */
  async recovered(transaction: Transaction, endpoint: ShownEndpoint): Promise<void> {
    const { failingSince } = endpoint.health;
    if (failingSince === null || !(await this.notifier.hasTold(transaction, 'endpoint', endpoint.id, failingSince)))
      return;
    const wasMailed = await this.outbox.hasGone(transaction, endpoint.id, failingSince);
    const notice = await this.noticeOf(endpoint, recoveryOf, null);
    await this.tell(transaction, wasMailed ? notice : { ...notice, letter: null });
  }

  private async noticeOf(
    endpoint: ShownEndpoint,
    write: (facts: LetterFacts) => Letter,
    lastFailure: FailedAttempt | null,
  ): Promise<Notice> {
    const nowMs = this.clock.nowMs();
    const at = new Date(nowMs).toISOString();
    const url = endpointPath(endpoint.id);
    const link = linkTo(this.settings, url);
    const { EVENT_RETENTION_DAYS: retentionDays } = this.settings;
    const tenant = await tenantName(this.database);
    const letter = write({ endpoint, tenant, link, lastFailure, retentionDays, at });
    return {
      kind: 'endpoint',
      subject: { object: ENDPOINT_TYPE, id: endpoint.id },
      title: letter.subject,
      url,
      letter: { ...letter, expiresAt: new Date(nowMs + USEFUL_MS).toISOString() },
    };
  }

  private async tell(transaction: Transaction, notice: Notice): Promise<void> {
    await this.notifier.tell(transaction, notice, await this.holders.find('webhooks:write', MAX_READERS));
  }
}
