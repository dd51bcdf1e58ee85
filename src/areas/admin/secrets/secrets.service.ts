import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { Automations } from '#libs/automation/automations.js';
import { timerStatement } from '#libs/automation/timers.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { byName, nameParameters } from '#libs/resource/named-list.js';
import { pageOfAll } from '#libs/resource/page-of-all.js';
import { checkPrecondition } from '#libs/resource/precondition.js';
import { currentScope } from '#libs/tenancy/scope.js';
import {
  type DeletedSecret,
  MAX_SECRETS,
  MAX_VALUE_BYTES,
  type SecretList,
  type SecretQuery,
  type SecretView,
  type StoreSecret,
} from './secret.dto.js';
import { factsOf, GRACE_OVER, NOTICE, SecretRecords } from './secret-records.js';
import { Secrets } from './secret-values.service.js';
import { type SecretFigures, SecretsRepository, type StoredSecret } from './secrets.repository.js';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const ALL = { kind: null, q: null, expiringBefore: null, unusedSince: null };

/** Credentials that a tenant keeps here; their values can be written and never read. */
@Injectable()
export class SecretsService implements OnModuleInit {
  constructor(
    private readonly repository: SecretsRepository,
    private readonly records: SecretRecords,
    private readonly secrets: Secrets,
    private readonly database: Database,
    private readonly trail: AuditTrail,
    private readonly automations: Automations,
    private readonly cursors: Cursors,
  ) {}

  onModuleInit(): void {
    this.automations.timer({ kind: NOTICE, fire: (key) => this.tellExpiry(key) });
    this.automations.timer({ kind: GRACE_OVER, fire: (id) => this.endGrace(id) });
  }

  async list(asked: SecretQuery): Promise<SecretList> {
    const query = { sort: ['name'], ...asked };
    const { kind, q, expiringInDays, unusedForDays, ...paging } = query;
    const rows = await this.repository.list(this.records.now(), null, {
      kind: kind ?? null,
      q: q ?? null,
      expiringBefore: expiringInDays === undefined ? null : this.inDays(expiringInDays),
      unusedSince: unusedForDays === undefined ? null : this.inDays(-unusedForDays),
    });
    const purpose = ['secrets', kind, q, expiringInDays, unusedForDays, ...nameParameters(query)];
    const page = pageOfAll(byName(rows, query).map(present), { limit: MAX_SECRETS, ...paging }, this.cursors, purpose);
    await this.trail.record({ action: 'core.secret.listed', target: null, outcome: 'success', riskLevel: 'low' });
    return page;
  }

  /**
   * Stores a secret, or gives the one with the name another value.
   * @throws Problem 400, 409 `limit_reached`.
   */
  async store(input: StoreSecret): Promise<SecretView> {
    this.check(input);
    const versionId = uuidv7();
    const sealed = await this.secrets.seal(versionId, input.value);
    return this.database.transaction(async (transaction) => {
      const before = await this.repository.lockNamed(transaction, input.name);
      const secret = before ? this.rotate(transaction, before, input) : await this.create(transaction, input);
      transaction.write(this.repository.addVersion(versionId, secret.id, secret.version, sealed, secret.updatedAt));
      const [row] = await this.repository.list(this.records.now(), secret.id, ALL);
      return present(row!);
    });
  }

  /** @throws Problem 404, 409 `in_use`, 412. */
  async remove(id: string, force: boolean): Promise<DeletedSecret> {
    return this.database.transaction(async (transaction) => {
      const secret = await this.repository.lock(transaction, id);
      if (!secret) throw Problem.notFound();
      checkPrecondition(secret.version);
      const usedBy = force ? [] : await this.repository.usedBy(transaction, id);
      if (usedBy.length > 0)
        throw new Problem(
          'in_use',
          `The secret is used by ${usedBy.map((use) => `${use.object} ${use.id}`).join(', ')}; delete it all the same with force=true.`,
        );
      this.records.remove(transaction, secret);
      return { id, deleted: true };
    });
  }

  private async create(transaction: Transaction, input: StoreSecret): Promise<StoredSecret> {
    if ((await this.repository.count(transaction)) >= MAX_SECRETS)
      throw new Problem('limit_reached', `A tenant can have ${MAX_SECRETS} secrets.`);
    const { name, value, kind = 'generic', description = null } = input;
    const at = this.records.now();
    const secret: StoredSecret = {
      id: uuidv7(),
      name,
      kind,
      description,
      version: 1,
      fingerprint: this.secrets.fingerprint(value),
      createdBy: currentScope().actor,
      createdAt: at,
      updatedAt: at,
      rotatedAt: null,
      expiresAt: expiryOf(input),
      notifiedDays: null,
    };
    this.records.add(transaction, secret);
    return secret;
  }

  /** The value before stays for its grace and is then destroyed; those before it are destroyed now. */
  private rotate(transaction: Transaction, before: StoredSecret, input: StoreSecret): StoredSecret {
    const { value, kind = before.kind, description = before.description, graceMinutes = 0 } = input;
    const at = this.records.now();
    const after: StoredSecret = {
      ...before,
      kind,
      description,
      version: before.version + 1,
      fingerprint: this.secrets.fingerprint(value),
      updatedAt: at,
      rotatedAt: at,
      expiresAt: expiryOf(input),
      notifiedDays: null,
    };
    this.records.change(transaction, 'rotated', before, after);
    const until = new Date(Date.parse(at) + graceMinutes * MINUTE_MS).toISOString();
    transaction.write(this.repository.destroy(before.id, graceMinutes > 0 ? before.version : after.version));
    if (graceMinutes > 0) {
      transaction.write(this.repository.endVersion(before.id, before.version, until));
      transaction.write(timerStatement({ kind: GRACE_OVER, key: before.id, dueAt: until }));
    }
    return after;
  }

  private check(input: StoreSecret): void {
    const { value } = input;
    const expiresAt = expiryOf(input);
    const violations = [];
    if (Buffer.byteLength(value) > MAX_VALUE_BYTES)
      violations.push({ pointer: '/value', code: 'too_long', detail: `It may have at most ${MAX_VALUE_BYTES} bytes.` });
    if (expiresAt !== null && expiresAt <= this.records.now())
      violations.push({ pointer: '/expiresAt', code: 'out_of_range', detail: 'It must be in the future.' });
    if (violations.length > 0) throw Problem.validation(violations);
  }

  private async tellExpiry(key: string): Promise<void> {
    const [id = '', days] = key.split('|');
    await this.database.transaction(async (transaction) => {
      const secret = await this.repository.lock(transaction, id);
      const notifiedDays = Number(days);
      if (!secret?.expiresAt || secret.expiresAt > this.inDays(notifiedDays)) return;
      if (secret.notifiedDays !== null && secret.notifiedDays <= notifiedDays) return;
      this.records.change(transaction, 'expiring', secret, { ...secret, notifiedDays, updatedAt: this.records.now() });
    });
  }

  private endGrace(id: string): Promise<void> {
    return this.database.transaction(async (transaction) => {
      transaction.write(this.repository.destroyEnded(id, this.records.now()));
    });
  }

  private inDays(days: number): string {
    return new Date(Date.parse(this.records.now()) + days * DAY_MS).toISOString();
  }
}

function expiryOf({ expiresAt }: StoreSecret): string | null {
  return expiresAt ? new Date(expiresAt).toISOString() : null;
}

/** A secret as administrators see it. */
function present(row: StoredSecret & SecretFigures): SecretView {
  const { fingerprint, previousUsableUntil, lastUsedAt, usedBy } = row;
  return { ...factsOf(row), fingerprint, previousUsableUntil, lastUsedAt, usedBy };
}
