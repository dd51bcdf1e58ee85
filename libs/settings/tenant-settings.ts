import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { TenantMemory } from '#libs/database/memory.js';
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
 * The settings of the tenant in scope.
 *
 * Cached per process and epoch: every change increases the tenant's epoch, which PostgreSQL compares in the first
 * statement of each transaction. Reading settings therefore costs nothing and is never outdated. In the worker they
 * may be a minute old.
 */
@Injectable()
export class TenantSettings {
  private readonly known = new TenantMemory<EffectiveSettings>(10_000);

  constructor(private readonly database: Database) {}

  /** All settings of the tenant in scope. Its single query joins an open transaction. */
  get(): Promise<EffectiveSettings> {
    return this.known.get(async () => {
      const [row] = await this.database.read<{ values: OwnSettings }>(statement(FIND, [currentTenant().id]));
      return effective(row?.values ?? {});
    });
  }
}

/** The effective settings for a tenant's values `own`. */
export function effective(own: OwnSettings): EffectiveSettings {
  const { gates, finance, ...sections } = filled(DEFAULT_SETTINGS, own) as SettingsValues;
  const dunningDays = finance.dunningDays.toSorted((a, b) => a - b);
  return { ...sections, finance: { ...finance, dunningDays }, gates: gates.map((gate: Gate) => completeGate(gate)) };
}

/**
 * `defaults` overridden by the values of `own`, which can have further members. Lists and single values are replaced as
 * a whole.
 */
function filled(defaults: unknown, own: unknown): unknown {
  if (own === undefined) return defaults;
  if (!isObject(defaults) || !isObject(own)) return own;
  const values = Object.entries(defaults).map(([key, value]) => [key, filled(value, own[key])]);
  return { ...own, ...(Object.fromEntries(values) as object) };
}
