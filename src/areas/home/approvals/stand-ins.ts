import { Injectable } from '@nestjs/common';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope, type Scope } from '#libs/tenancy/scope.js';
import { ApprovalsRepository } from './approvals.repository.js';

/** An absent member for whom the caller stands in. */
export interface Absent {
  membershipId: string;
  name: string;
  roleIds: readonly string[];
}

/** Absent members for whom the caller stands in today. */
@Injectable()
export class StandIns {
  private readonly known = new WeakMap<Scope, readonly Absent[]>();

  constructor(
    private readonly repository: ApprovalsRepository,
    private readonly settings: TenantSettings,
    private readonly clock: Clock,
  ) {}

  /** Must run before {@link current}. Days of absence are in the time zone of the absent member. */
  async prepare(): Promise<void> {
    const membershipId = callerOrNull()?.membershipId ?? null;
    if (membershipId === null) return;
    const named = await this.repository.namingAsDelegate(membershipId);
    if (named.length === 0) return;
    const { timezone: usual } = (await this.settings.get()).general;
    const isAway = ({ timezone, fromDate, toDate }: (typeof named)[number]) => {
      const today = civilDateAt(this.clock.nowMs(), timezone ?? usual);
      return fromDate <= today && today <= toDate;
    };
    this.known.set(currentScope(), named.filter(isAway));
  }

  current(): readonly Absent[] {
    return this.known.get(currentScope()) ?? [];
  }
}
