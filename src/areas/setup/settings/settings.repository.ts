import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import type { OwnSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** The stored settings of a tenant. */
export interface StoredSettings {
  version: number;
  values: OwnSettings;
  updatedAt: string | null;
  updatedBy: ActorStamp | null;
}

const FIND = `select version, values, updated_at as "updatedAt", updated_by as "updatedBy"
  from data.tenant_settings where tenant_id = $1`;
const LOCK = `${FIND} for no key update`;
const ADD = `insert into data.tenant_settings (tenant_id, version, values, updated_at, updated_by)
  values ($1, 1, '{}', $2, $3) on conflict (tenant_id) do nothing`;
const SAVE = `update data.tenant_settings set version = $2, values = $3, updated_at = $4, updated_by = $5
  where tenant_id = $1`;

const SET_CURRENCY = `select directory.set_currency($1) as before`;
const IS_POSTED = `select exists (select from data.finance_ledger_entries where tenant_id = $1)
  or exists (select from data.ai_ledger where tenant_id = $1) as posted`;

@Injectable()
export class SettingsRepository {
  constructor(private readonly database: Database) {}

  /** The stored settings; null if the tenant has not set any. */
  async find(): Promise<StoredSettings | null> {
    const [row] = await this.database.read<StoredSettings>(statement(FIND, [currentTenant().id]));
    return row ?? null;
  }

  /** As {@link find}, locked until the transaction ends. */
  async lock(transaction: Transaction): Promise<StoredSettings | null> {
    const [row] = await transaction.query<StoredSettings>(statement(LOCK, [currentTenant().id]));
    return row ?? null;
  }

  /** Creates the row if it does not exist; waits for concurrent creation. */
  add(at: string, by: ActorStamp): Statement {
    return statement(ADD, [currentTenant().id, at, JSON.stringify(by)]);
  }

  /** Changes the currency of the tenant; waits for concurrent postings. @returns the previous currency. */
  async setCurrency(transaction: Transaction, wanted: string): Promise<string> {
    const [row] = await transaction.query<{ before: string }>(statement(SET_CURRENCY, [wanted]));
    return row!.before;
  }

  /** Whether anything has been posted in the currency of the tenant, in its books or as costs of AI jobs. */
  async isPosted(transaction: Transaction): Promise<boolean> {
    const [row] = await transaction.query<{ posted: boolean }>(statement(IS_POSTED, [currentTenant().id]));
    return row!.posted;
  }

  save({ version, values, updatedAt, updatedBy }: StoredSettings): Statement {
    const stored = [JSON.stringify(values), updatedAt, JSON.stringify(updatedBy)];
    return statement(SAVE, [currentTenant().id, version, ...stored]);
  }
}
