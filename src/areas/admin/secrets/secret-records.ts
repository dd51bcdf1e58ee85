import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Commits } from '#libs/resource/commits.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { SECRET_TYPE, type SecretFacts, SECRETS_PATH } from './secret.dto.js';
import type { SecretVerb } from './secret.events.js';
import { SecretsRepository, type StoredSecret } from './secrets.repository.js';

/** Days before its value expires on which that is told. */
const NOTICE_DAYS = [14, 1];
const DAY_MS = 86_400_000;

/** Fires when the expiry of a secret is to be told; the key is the secret's id and the days that are left. */
export const NOTICE = 'core.secret.notice';
/** Fires when the value before is no longer used; the key is the secret's id. */
export const GRACE_OVER = 'core.secret.grace_over';

/** Every change of a secret: the row, its audit entry and event, and its timers, in one transaction. */
@Injectable()
export class SecretRecords {
  constructor(
    private readonly repository: SecretsRepository,
    private readonly commits: Commits,
    private readonly clock: Clock,
  ) {}

  /** The instant that everything this request changes is stamped with. */
  now(): string {
    return (currentScope().stampedAt ??= this.clock.now().toISOString());
  }

  add(transaction: Transaction, secret: StoredSecret): void {
    this.commit(transaction, 'created', null, secret, this.repository.insert(secret));
    this.setNotices(transaction, secret);
  }

  change(transaction: Transaction, verb: 'rotated' | 'expiring', before: StoredSecret, after: StoredSecret): void {
    this.commit(transaction, verb, before, after, this.repository.save(after));
    if (verb === 'rotated') this.setNotices(transaction, after);
  }

  /** All values go first, so that nothing of them is left. */
  remove(transaction: Transaction, secret: StoredSecret): void {
    transaction.write(this.repository.destroy(secret.id, secret.version + 1));
    this.commit(
      transaction,
      'deleted',
      secret,
      { ...secret, updatedAt: this.now() },
      this.repository.remove(secret.id),
    );
    for (const days of NOTICE_DAYS) transaction.write(cancelStatement({ kind: NOTICE, key: keyOf(secret.id, days) }));
    transaction.write(cancelStatement({ kind: GRACE_OVER, key: secret.id }));
  }

  /** What is due before today's notice has been given already is not told late. */
  private setNotices(transaction: Transaction, { id, expiresAt }: StoredSecret): void {
    for (const days of NOTICE_DAYS) {
      const key = keyOf(id, days);
      const dueAt = expiresAt === null ? null : new Date(Date.parse(expiresAt) - days * DAY_MS).toISOString();
      transaction.write(
        dueAt !== null && dueAt > this.now()
          ? timerStatement({ kind: NOTICE, key, dueAt })
          : cancelStatement({ kind: NOTICE, key }),
      );
    }
  }

  private commit(
    transaction: Transaction,
    verb: SecretVerb,
    before: StoredSecret | null,
    after: StoredSecret,
    save: Statement,
  ): void {
    const { id, name, version, updatedAt } = after;
    this.commits.add(transaction, {
      save,
      event: `${SECRET_TYPE}.${verb}`,
      subject: { type: SECRET_TYPE, id, reference: null, version, url: SECRETS_PATH, name },
      before: before && factsOf(before),
      after: factsOf(after),
      at: updatedAt,
      riskLevel: verb === 'expiring' ? 'medium' : 'high',
    });
  }
}

/** The key of the timer of a notice. */
function keyOf(id: string, days: number): string {
  return `${id}|${days}`;
}

/** What everybody may know of a secret. */
export function factsOf(secret: StoredSecret): SecretFacts {
  const { id, name, kind, description, version, createdBy, createdAt, rotatedAt, expiresAt } = secret;
  return { id, object: SECRET_TYPE, name, kind, description, version, createdBy, createdAt, rotatedAt, expiresAt };
}
