import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { isObject } from '#libs/kernel/is-object.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { completeGate, type CompleteGate, type Gate } from './gate.model.js';
import { DEFAULT_SETTINGS, type SettingsValues } from './settings.model.js';

const FIND = `select values from data.tenant_settings where tenant_id = $1`;

/** The values that a tenant has set. */
export type OwnSettings = { [S in keyof SettingsValues]?: Partial<SettingsValues[S]> | SettingsValues[S] };

/** The effective settings: the values that the tenant has set, and defaults for the rest. */
export type EffectiveSettings = Omit<SettingsValues, 'gates'> & { gates: CompleteGate[] };

/**
 * What the tenant in scope has decided about how the platform works for it.
 *
 * Remembered per process and epoch: every change raises the tenant's epoch, which PostgreSQL compares in the first
 * statement of each transaction, so that reading settings costs nothing and is never out of date. In the worker they may
 * be a minute old.
 */
@Injectable()
export class TenantSettings {
  private readonly known = new LRUCache<string, EffectiveSettings>({ max: 10_000 });

  constructor(private readonly database: Database) {}

  /** All settings of the tenant in scope. Joins the open transaction, if there is one, for its one query. */
  async get(): Promise<EffectiveSettings> {
    const { id, epoch } = currentTenant();
    const key = `${id}|${epoch}`;
    let settings = this.known.get(key);
    if (!settings) {
      const [row] = await this.database.read<{ values: OwnSettings }>(statement(FIND, [id]));
      settings = effective(row?.values ?? {});
      this.known.set(key, settings);
    }
    return settings;
  }
}

/** What holds when a tenant has set `own`. */
export function effective(own: OwnSettings): EffectiveSettings {
  const { gates, ...sections } = filled(DEFAULT_SETTINGS, own) as SettingsValues;
  return { ...sections, gates: gates.map((gate: Gate) => completeGate(gate)) };
}

/** `defaults` with the values of `own` in their places; lists and single values are replaced as a whole. */
function filled(defaults: unknown, own: unknown): unknown {
  if (own === undefined) return defaults;
  if (!isObject(defaults) || !isObject(own)) return own;
  return Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, filled(value, own[key])]));
}
