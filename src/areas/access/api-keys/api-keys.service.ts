import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { newSecret, OVERLAP_HOURS, rotationTimes } from '#libs/auth/new-credential.js';
import { personBehind } from '#libs/auth/principal.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { DAY_MS, HOUR_MS } from '#libs/kernel/durations.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { networkOf } from '#libs/kernel/network.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Transaction } from '#libs/database/transaction.js';
import { WorkspaceBook } from '#libs/members/workspace-book.js';
import { byName } from '#libs/resource/lists/named-list.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { type ApiKey, apiKeys, USUAL_DAYS } from './api-key.js';
import { ApiKeyRecords, isOver } from './api-key-records.js';
import { ApiKeyRules } from './api-key-rules.js';
import type { ApiKeyPatch, ApiKeyQuery, NewApiKey } from './api-key.requests.js';

type ShownKey = ShownObject<ApiKey>;
type ShownSecret = ShownKey & { apiKey: string };

/** API keys that the caller may see and change. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly records: ApiKeyRecords,
    private readonly rules: ApiKeyRules,
    private readonly workspaces: WorkspaceBook,
    private readonly cursors: Cursors,
  ) {}

  async list(query: ApiKeyQuery): Promise<Page<ShownKey>> {
    const { kind, status, expiringInDays, unusedForDays } = query;
    const seen = (await this.records.rows.all()).filter((key) => this.rules.isSeen(key)).reverse();
    const isAsked = (key: ShownKey): boolean =>
      (kind === undefined || kind === key.kind) &&
      (status === undefined || status === key.status) &&
      (expiringInDays === undefined ||
        (key.status === 'active' && key.expiresAt !== null && key.expiresAt <= this.inDays(expiringInDays))) &&
      (unusedForDays === undefined ||
        (key.status === 'active' &&
          [key.lastUsedAt ?? '', key.issuedAt].every((at) => at <= this.inDays(-unusedForDays))));
    const found = byName(await this.records.show(seen), query).filter(isAsked);
    return pageOfAll(found, query, this.cursors, [apiKeys.type]);
  }

  /** @throws Problem 404, also for a key that the caller may not see. */
  async get(id: string): Promise<ShownKey> {
    const key = await this.records.objects.read(id);
    if (!this.rules.isSeen(key)) throw Problem.notFound();
    return this.records.objects.show(key);
  }

  /** Creates a key. Only this response contains its secret. @throws Problem 400, 403, 409 `limit_reached`. */
  async create({
    name,
    kind,
    scopes,
    workspaceIds = [],
    ipAllowList = [],
    allowProtected = false,
    readsPerMinute = null,
    writesPerMinute = null,
    ...input
  }: NewApiKey) {
    return this.records.objects.unit(async (transaction) => {
      const memberId = this.rules.ownerOf(kind);
      const issuedAt = this.records.objects.now();
      const latest = await this.rules.latestExpiry({ issuedAt, allowProtected });
      const usual = earlier(this.inDays(USUAL_DAYS), latest);
      const expiresAt = input.expiresAt === undefined ? usual : inUtc(input.expiresAt);
      const terms = {
        name,
        memberId,
        scopes,
        workspaceIds,
        ipAllowList: networksOf(ipAllowList),
        allowProtected,
        expiresAt,
        issuedAt,
      };
      const limits = { readsPerMinute, writesPerMinute };
      this.rules.requireLimits(limits);
      await this.rules.requireAllowed(null, terms);
      await this.workspaces.requireOpen(transaction, workspaceIds, new Set(), '/workspaceIds');
      await this.records.objects.refuseBeyondLimit(
        (await this.records.rows.all()).filter((key) => !this.overNow(key)).length,
      );
      const { issued, insert, ...secret } = secretOf(terms, issuedAt, null);
      transaction.write(insert);
      const unused = { lastUsedAt: null, lastUsedIp: null, revokedAt: null, previousExpiresAt: null };
      const createdBy = currentScope().actor;
      const fresh = {
        ...terms,
        ...limits,
        ...secret,
        ...unused,
        kind,
        createdBy,
        notifiedAt: null,
        deletedAt: null,
      };
      const key = this.records.objects.add(transaction, { id: issued.id, ...fresh });
      if (readsPerMinute !== null || writesPerMinute !== null) transaction.write(this.records.rows.limit(key));
      return this.shownOnce(key, issued.text);
    });
  }

  /** Applies a merge patch. @throws Problem 400, 403, 404, 409 `record_locked`, 412. */
  async update(id: string, patch: ApiKeyPatch): Promise<ShownKey> {
    return this.records.objects.unit(async (transaction) => {
      const before = await this.lock(transaction, id);
      if (this.overNow(before)) throw new Problem('record_locked', `The key is ${this.overNow(before)}.`);
      const changes = { ...patch };
      if (patch.ipAllowList) changes.ipAllowList = networksOf(patch.ipAllowList);
      if (patch.expiresAt) changes.expiresAt = inUtc(patch.expiresAt);
      this.rules.requireLimits(changes, id);
      const { name: _, readsPerMinute: __, writesPerMinute: ___, ...rights } = changes;
      if (Object.keys(rights).length > 0) await this.rules.requireAllowed(before, { ...before, ...rights });
      if (patch.workspaceIds)
        await this.workspaces.requireOpen(
          transaction,
          patch.workspaceIds,
          new Set(before.workspaceIds),
          '/workspaceIds',
        );
      const renewed = 'expiresAt' in changes ? { notifiedAt: null } : {};
      const after = this.records.change(transaction, before, { ...changes, ...renewed });
      return this.records.objects.show(after);
    });
  }

  /**
   * Rotates the secret of a key. The new one is shown only once; the old one stays valid for the overlap at most.
   * @throws Problem 403, 404, 409 `invalid_transition`, 412.
   */
  async rotate(id: string, overlapHours = OVERLAP_HOURS.usual): Promise<ShownSecret> {
    return this.records.objects.unit(async (transaction) => {
      const before = await this.lock(transaction, id);
      this.refuseOver(before, 'rotate');
      this.rules.requireSecretOf(before);
      const now = this.records.objects.now();
      const { expiresAt: meant, previousExpiresAt } = rotationTimes(before, now, overlapHours * HOUR_MS);
      const expiresAt = earlier(meant, await this.rules.latestExpiry({ ...before, issuedAt: now }));
      const { rows } = this.records;
      transaction.write(overlapHours === 0 ? rows.revoke(id, now) : rows.end(id, previousExpiresAt));
      const { issued, insert, ...secret } = secretOf({ ...before, expiresAt }, now, id);
      transaction.write(insert);
      const changes = { ...secret, expiresAt, previousExpiresAt, issuedAt: now, notifiedAt: null };
      return this.shownOnce(this.records.objects.change(transaction, before, changes, 'rotated'), issued.text);
    });
  }

  /** @throws Problem 404, 409 `invalid_transition`, 412. */
  async revoke(id: string): Promise<ShownKey> {
    return this.records.objects.unit(async (transaction) => {
      const before = await this.lock(transaction, id);
      this.refuseOver(before, 'revoke');
      return this.records.objects.show(this.records.revoke(transaction, before));
    });
  }

  /** Revokes a key if it is still valid, and hides it from lists. @throws Problem 404, 412. */
  async remove(id: string): Promise<Deleted> {
    return this.records.objects.unit(async (transaction) => {
      const before = await this.lock(transaction, id);
      const deletedAt = this.records.objects.now();
      this.records.revoke(transaction, before, { deletedAt }, 'deleted');
      return this.records.objects.deleted(id, deletedAt);
    });
  }

  private async lock(transaction: Transaction, id: string): Promise<ApiKey> {
    const key = await this.records.objects.lock(transaction, id);
    if (!this.rules.isSeen(key)) throw Problem.notFound();
    return key;
  }

  private refuseOver(key: ApiKey, action: string): void {
    const state = this.overNow(key);
    if (state) throw invalidTransition(action, { state }, []);
  }

  private overNow(key: ApiKey) {
    return isOver(key, this.records.objects.now());
  }

  private async shownOnce(key: ApiKey, apiKey: string): Promise<ShownSecret> {
    return { ...(await this.records.objects.show(key)), apiKey };
  }

  private inDays(days: number): string {
    return new Date(Date.parse(this.records.objects.now()) + days * DAY_MS).toISOString();
  }
}

/** A new secret of a key for the caller with its prefix and end, and the statement that stores it. */
function secretOf(
  key: Pick<ApiKey, 'name' | 'scopes' | 'allowProtected' | 'ipAllowList' | 'expiresAt' | 'memberId'>,
  now: string,
  lineageId: string | null,
) {
  const origin = { lineageId, makerId: personBehind(currentPrincipal()) };
  const { issued, keyId, insert } = newSecret({ ...key, allowedCidrs: key.ipAllowList }, now, origin);
  return { issued, insert, prefix: `top_live_${keyId}`, last4: issued.text.slice(-4) };
}

function networksOf(texts: readonly string[]): string[] {
  return [...new Set(texts.map((each) => networkOf(each)!))]; // checked by their kind
}

/** The earlier of two expiry times; null means never. */
function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

function inUtc(at: string | null): string | null {
  return at && new Date(at).toISOString();
}
