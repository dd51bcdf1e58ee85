import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** Whether AI work of a tenant is paused, which is the case while there is a reason. */
export interface AutomationState {
  version: number;
  reason: string | null;
  changedAt: string;
  changedBy: ActorStamp;
}

/** Why, when and by whom AI work was paused. */
export interface Pause {
  reason: string;
  pausedAt: string;
  pausedBy: ActorStamp;
}

const FIND = `select version, reason, changed_at as "changedAt", changed_by as "changedBy"
  from data.ai_pauses where tenant_id = $1`;
const SAVE = `insert into data.ai_pauses (tenant_id, version, reason, changed_at, changed_by) values ($1, $2, $3, $4, $5)
  on conflict (tenant_id) do update set version = excluded.version, reason = excluded.reason,
    changed_at = excluded.changed_at, changed_by = excluded.changed_by`;

/** The kill switch. Never cached. */
@Injectable()
export class AiPauses {
  constructor(private readonly database: Database) {}

  /** The current pause; null if there is none. Joins the open transaction, if there is one. */
  async current(): Promise<Pause | null> {
    const state = await this.state();
    if (state?.reason == null) return null;
    const { reason, changedAt: pausedAt, changedBy: pausedBy } = state;
    return { reason, pausedAt, pausedBy };
  }

  /** @throws Problem 423 `ai_paused` during a pause. */
  async refuse(): Promise<void> {
    if (await this.current())
      throw new Problem('ai_paused', 'AI work is paused. Nothing is taken until it is resumed.');
  }

  /** The last switch; null if there was none. */
  async state(): Promise<AutomationState | null> {
    const [row] = await this.database.read<AutomationState>(statement(FIND, [currentTenant().id]));
    return row ?? null;
  }

  save({ version, reason, changedAt, changedBy }: AutomationState): Statement {
    return statement(SAVE, [currentTenant().id, version, reason, changedAt, JSON.stringify(changedBy)]);
  }
}
