import { Injectable } from '@nestjs/common';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { Automations } from '#libs/automation/automations.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { DAY_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { fold } from '#libs/kernel/fold.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { MAX_VALUE_BYTES, type Secret, secrets } from './secret.js';
import { addVersion, destroyAll, destroyBefore, destroyEnded, endVersion, figures } from './secret.queries.js';
import { Secrets } from './secret-values.service.js';
import type { SecretQuery } from './secret.requests.js';

/** Days before expiry on which a notice is sent. */
const NOTICE_DAYS = [14, 1];
/** Fires when an expiry notice is due; the key is the secret's id and the remaining days. */
const NOTICE = 'core.secret.notice';
/** Fires when the grace period of the previous value ends; the key is the secret's id. */
const GRACE_OVER = 'core.secret.grace_over';

/** Input for a new secret, or for a new value of an existing one. */
export type StoredSecret = Pick<Secret, 'name'> & { value: string } & Partial<
    Pick<Secret, 'kind' | 'description' | 'expiresAt' | 'graceMinutes'>
  >;

/** Credentials stored for a tenant; their values are write-only. */
@Injectable()
export class SecretsService {
  private readonly objects: GovernedObjects<Secret>;

  constructor(
    kit: ResourceKit,
    private readonly values: Secrets,
    private readonly database: Database,
    private readonly trail: AuditTrail,
    automations: Automations,
  ) {
    this.objects = new GovernedObjects(secrets, kit, this);
    automations.timer({
      kind: NOTICE,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (key) => this.tellExpiry(key),
    });
    automations.timer({
      kind: GRACE_OVER,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => this.endGrace(id),
    });
  }

  async list(asked: SecretQuery): Promise<Page<ShownObject<Secret>>> {
    const query = { sort: ['name'], ...asked };
    const { kind, q, expiringInDays: left, unusedForDays: unused } = query;
    const page = await this.objects.shortList(
      query,
      (row) =>
        (kind === undefined || kind === row.kind) &&
        (q === undefined || fold(`${row.name} ${row.description ?? ''}`).includes(fold(q))) &&
        (left === undefined || (row.expiresAt !== null && row.expiresAt <= this.inDays(left))) &&
        (unused === undefined ||
          [row.createdAt, row.rotatedAt, row.lastUsedAt].every((at) => (at ?? '') <= this.inDays(-unused))),
    );
    await this.trail.record({ action: 'core.secret.listed', target: null, outcome: 'success', riskLevel: 'low' });
    return page;
  }

  /**
   * Creates a secret, or sets a new value for the one with the same name.
   * @throws Problem 400, 409 `limit_reached`.
   */
  async store(input: StoredSecret): Promise<ShownObject<Secret>> {
    this.check(input);
    const versionId = uuidv7();
    const sealed = await this.values.seal(versionId, input.value);
    const fingerprint = await this.values.fingerprint(input.value);
    return this.objects.unit(async (transaction) => {
      const [before] = await this.objects.rows.lockAll(transaction, (add) => `t.name = ${add(input.name)}`);
      const secret = before
        ? this.rotate(transaction, before, input, fingerprint)
        : await this.create(transaction, input, fingerprint);
      transaction.write(addVersion(versionId, secret.id, secret.version, sealed, secret.updatedAt));
      for (const days of NOTICE_DAYS) transaction.write(this.noticeOf(secret, days));
      return this.objects.show(secret);
    });
  }

  /** Deletes a secret with all its values. @throws Problem 404, 409 `in_use`, 412. */
  remove(id: string, force: boolean): Promise<Deleted> {
    return this.objects.delete(id, async (secret, transaction) => {
      const { usedBy = [] } = await this.objects.show(secret);
      if (usedBy.length > 0 && !force)
        throw new Problem(
          'in_use',
          `The secret is used by ${usedBy.map((use) => `${use.object} ${use.id}`).join(', ')}; delete it all the same with force=true.`,
        );
      transaction.write(destroyAll(id));
      for (const days of NOTICE_DAYS) transaction.write(cancelStatement({ kind: NOTICE, key: `${id}|${days}` }));
      transaction.write(cancelStatement({ kind: GRACE_OVER, key: id }));
    });
  }

  /** Secrets as shown to administrators. */
  async show(rows: readonly Secret[]): Promise<ShownObject<Secret>[]> {
    const known = await this.database.read<{ id: string }>(figures(this.objects.now()));
    return rows.map((row) => ({ ...this.objects.view(row), ...known.find(({ id }) => id === row.id) }));
  }

  private async create(transaction: Transaction, input: StoredSecret, fingerprint: string): Promise<Secret> {
    await this.objects.refuseBeyondLimit();
    const { name, kind = 'generic', description = null } = input;
    const own = { name, kind, description, fingerprint, expiresAt: expiryOf(input) };
    const unused = { rotatedAt: null, lastUsedAt: null, notifiedDays: null };
    return this.objects.add(transaction, { ...own, ...unused, createdBy: currentScope().actor });
  }

  /**
   * The previous value remains valid for the grace period and is then destroyed; older values are destroyed
   * immediately.
   */
  private rotate(transaction: Transaction, before: Secret, input: StoredSecret, fingerprint: string): Secret {
    const { kind = before.kind, description = before.description, graceMinutes = 0 } = input;
    const own = { kind, description, fingerprint, expiresAt: expiryOf(input), notifiedDays: null };
    const after = this.objects.change(transaction, before, { ...own, rotatedAt: this.objects.now() }, 'rotated');
    transaction.write(destroyBefore(before.id, graceMinutes > 0 ? before.version : after.version));
    if (graceMinutes > 0) {
      const until = new Date(Date.parse(after.updatedAt) + graceMinutes * MINUTE_MS).toISOString();
      transaction.write(endVersion(before.id, before.version, until));
      transaction.write(timerStatement({ kind: GRACE_OVER, key: before.id, dueAt: until }));
    }
    return after;
  }

  /**
   * The timer of a notice. A notice that is already due is cancelled instead of sent late: another notice covers it.
   */
  private noticeOf({ id, expiresAt }: Secret, days: number) {
    const timer = { kind: NOTICE, key: `${id}|${days}` };
    const dueAt = expiresAt && new Date(Date.parse(expiresAt) - days * DAY_MS).toISOString();
    return dueAt && dueAt > this.objects.now() ? timerStatement({ ...timer, dueAt }) : cancelStatement(timer);
  }

  private check(input: StoredSecret): void {
    const expiresAt = expiryOf(input);
    const violations: Violation[] = [];
    if (Buffer.byteLength(input.value) > MAX_VALUE_BYTES)
      violations.push({ pointer: '/value', code: 'too_long', detail: `It may have at most ${MAX_VALUE_BYTES} bytes.` });
    if (expiresAt !== null && expiresAt <= this.objects.now())
      violations.push({ pointer: '/expiresAt', code: 'out_of_range', detail: 'It must be in the future.' });
    if (violations.length > 0) throw Problem.validation(violations);
  }

  private async tellExpiry(key: string): Promise<void> {
    const [id = '', days] = key.split('|');
    await this.objects.unit(async (transaction) => {
      const before = await this.objects.rows.lock(transaction, id);
      const notifiedDays = Number(days);
      if (!before?.expiresAt || before.expiresAt > this.inDays(notifiedDays)) return;
      if (before.notifiedDays !== null && before.notifiedDays <= notifiedDays) return;
      const after = { ...before, notifiedDays, updatedAt: this.objects.now() }; // its version counts values
      const save = this.objects.rows.replace(after);
      this.objects.record(transaction, { event: 'expiring', before, after, save, riskLevel: 'medium' });
    });
  }

  private endGrace(id: string): Promise<void> {
    return this.objects.unit(async (transaction) => transaction.write(destroyEnded(id, this.objects.now())));
  }

  private inDays(days: number): string {
    return new Date(Date.parse(this.objects.now()) + days * DAY_MS).toISOString();
  }
}

function expiryOf({ expiresAt }: StoredSecret): string | null {
  return expiresAt ? new Date(expiresAt).toISOString() : null;
}
