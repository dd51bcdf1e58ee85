import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import type { ChangeNotes } from '#libs/resource/records/object-changes.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { nextVersion } from '#libs/resource/records/next-version.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { checkIdOf, type PostureCheckSetting, postureSettings, untouched } from './posture-check-setting.js';

/** A setting locked for a change. */
export interface LockedSetting {
  before: PostureCheckSetting;
  /** Whether the tenant has a row for it. */
  isStored: boolean;
}

/** What the tenant in scope has decided about its checks. A row exists only for checks that it has touched. */
@Injectable()
export class PostureSettings {
  private readonly objects: GovernedObjects<PostureCheckSetting>;

  constructor(kit: ResourceKit) {
    this.objects = new GovernedObjects(postureSettings, kit);
  }

  /** The timestamp of all changes in this request. */
  now(): string {
    return this.objects.now();
  }

  /** The settings by key of their check. */
  async all(): Promise<Map<string, PostureCheckSetting>> {
    return new Map((await this.objects.rows.all()).map((row) => [row.key, row]));
  }

  /** The setting of a check. The caller serializes changes, because there may be no row to lock. */
  async lock(transaction: Transaction, key: string): Promise<LockedSetting> {
    const row = await this.objects.rows.lock(transaction, checkIdOf(key));
    return { before: row ?? untouched(key, currentTenant().id, this.now()), isStored: row !== null };
  }

  /** Changes a locked setting; returns it. */
  change(
    transaction: Transaction,
    { before, isStored }: LockedSetting,
    changes: Partial<PostureCheckSetting>,
    event: string,
    notes: ChangeNotes = {},
  ): PostureCheckSetting {
    const after = nextVersion(before, { ...changes, updatedAt: this.now() });
    const save = isStored ? this.objects.rows.replace(after) : this.objects.rows.insert(after);
    this.objects.record(transaction, { ...notes, event, before, after, save });
    return after;
  }
}
