import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import { Database } from '#libs/database/database.js';
import { brokenReference } from '#libs/database/failures.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { RoleBook } from '#libs/members/role-book.js';
import { Commits } from '#libs/resource/commits.js';
import { checkPrecondition } from '#libs/resource/precondition.js';
import { MEMBER, mustExist } from '#libs/resource/references.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { Gate } from '#libs/settings/gate.model.js';
import { DEFAULT_SETTINGS, SECTION_PERMISSIONS, type SettingsValues } from '#libs/settings/settings.model.js';
import { effective, type OwnSettings } from '#libs/settings/tenant-settings.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { gateViolations } from './gate-rules.js';
import { type ChangedSettings, SECTIONS, SETTINGS_PATH, SETTINGS_TYPE, type SettingsView } from './settings.dto.js';
import { changedPaths, merged, pathsOf } from './settings-paths.js';
import { SettingsRepository, type StoredSettings } from './settings.repository.js';

/** How settings stand that nobody has changed yet. */
const FIRST: StoredSettings = { version: 1, values: {}, updatedAt: null, updatedBy: null };

/** The settings of the tenant, as administrators read and change them. Code reads them through `TenantSettings`. */
@Injectable()
export class SettingsService {
  constructor(
    private readonly repository: SettingsRepository,
    private readonly database: Database,
    private readonly commits: Commits,
    private readonly registry: ResourceRegistry,
    private readonly clock: Clock,
    private readonly roles: RoleBook,
  ) {}

  /** All settings that hold, or those of one section. */
  async read(section?: keyof SettingsValues): Promise<SettingsView> {
    const view = present((await this.repository.find()) ?? FIRST, currentTenant().currency);
    if (section === undefined) return view;
    for (const other of SECTIONS) if (other !== section) delete view[other];
    return { ...view, defaults: view.defaults.filter((path) => path.split('.')[0] === section) };
  }

  /**
   * Merges a patch. One that changes nothing leaves the version as it is and emits nothing.
   * @throws Problem 400 for gates, 403 for a section that is not the caller's to change, 409 `stale_version` or
   *   `base_currency_fixed`, 412.
   */
  async change({ version, ...patch }: Record<string, unknown>): Promise<ChangedSettings> {
    for (const section of Object.keys(patch)) requireSection(section);
    const gates = (patch['gates'] ?? []) as Gate[];
    const violations = gateViolations(gates, this.registry);
    if (violations.length > 0) throw Problem.validation(violations);
    try {
      return await this.database.transaction((transaction) => this.changeIn(transaction, patch, version));
    } catch (error) {
      const pointer = brokenReference(error);
      if (pointer === null) throw error;
      throw Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such member.' }]);
    }
  }

  private async changeIn(transaction: Transaction, given: object, version: unknown): Promise<ChangedSettings> {
    const { patch, currency } = parted(given);
    const isCurrency = currency !== currentTenant().currency;
    const at = this.clock.now().toISOString();
    const { actor } = currentScope();
    let before = await this.repository.lock(transaction);
    checkVersion(before ?? FIRST, version);
    const changes = (stored: StoredSettings) =>
      isCurrency || !isDeepStrictEqual(merged(stored.values, patch), stored.values);
    if (!before && changes(FIRST)) {
      transaction.write(this.repository.add(at, actor));
      before = (await this.repository.lock(transaction))!;
      checkVersion(before, version); // somebody else may have made the row meanwhile
    }
    before ??= FIRST;
    if (!changes(before)) return { ...present(before, currency), changed: [] };
    const after: StoredSettings = {
      version: before.version + 1,
      values: merged(before.values, patch) as OwnSettings,
      updatedAt: at,
      updatedBy: actor,
    };
    await this.requireApprovers(transaction, (patch as { gates?: Gate[] | null }).gates ?? []);
    const old = isCurrency ? await this.setCurrency(transaction, currency) : currency;
    const shown = present(after, currency);
    this.record(transaction, after, { before: present(before, old), after: shown, at });
    const changed = changedPaths(before.values, after.values);
    return { ...shown, changed: isCurrency ? [...changed, CURRENCY_PATH].sort() : changed };
  }

  /** @throws Problem 409 `base_currency_fixed` once anything is posted. */
  private async setCurrency(transaction: Transaction, wanted: string): Promise<string> {
    const before = await this.repository.setCurrency(transaction, wanted);
    if (await this.repository.isPosted(transaction))
      throw new Problem('base_currency_fixed', `Something has been posted in ${before}: it stays the currency.`);
    return before;
  }

  private async requireApprovers(transaction: Transaction, gates: Gate[]): Promise<void> {
    for (const [index, { approvers }] of gates.entries()) {
      const { memberIds = [], roleIds = [] } = approvers ?? {};
      const place = `/gates/${index}/approvers`;
      if (memberIds.length > 0) transaction.write(mustExist(MEMBER, `${place}/memberIds`, memberIds));
      await this.roles.resolve(transaction, roleIds, `${place}/roleIds`);
    }
  }

  private record(
    transaction: Transaction,
    settings: StoredSettings,
    change: { before: SettingsView; after: SettingsView; at: string },
  ): void {
    const { id } = currentTenant();
    this.commits.add(transaction, {
      ...change,
      save: this.repository.save(settings),
      event: `${SETTINGS_TYPE}.updated`,
      subject: {
        type: SETTINGS_TYPE,
        id,
        reference: null,
        version: settings.version,
        url: SETTINGS_PATH,
        name: 'Settings',
      },
      riskLevel: 'medium',
    });
  }
}

const CURRENCY_PATH = 'finance.baseCurrency';

type FinancePatch = Record<string, unknown> & { baseCurrency?: string };

const PARTS: Record<string, Permission> = SECTION_PERMISSIONS;

/** @throws Problem 403 `permission_denied`. */
function requireSection(section: string): void {
  const part = PARTS[section];
  requirePermission('settings:manage', { parts: part ? [part] : [] });
}

/** @throws Problem 412 for `If-Match`, 409 `stale_version` for the version in the body. */
function checkVersion(settings: StoredSettings, version: unknown): void {
  checkPrecondition(settings.version);
  if (version !== undefined && version !== settings.version)
    throw new Problem('stale_version', 'The settings have another version; read them again.', {
      extensions: { version: settings.version },
    });
}

/** What a patch changes of what is stored, and the currency that is to hold, which stands with the tenant. */
function parted(patch: { finance?: FinancePatch | null }): { patch: object; currency: string } {
  const { baseCurrency: currency = currentTenant().currency, ...finance } = patch.finance ?? {};
  return { patch: patch.finance ? { ...patch, finance } : patch, currency };
}

function present({ version, values, updatedAt, updatedBy }: StoredSettings, currency: string): SettingsView {
  const { id } = currentTenant();
  const { finance, ...others } = effective(values);
  const own = new Set(pathsOf(values));
  return {
    id,
    object: SETTINGS_TYPE,
    version,
    updatedAt,
    updatedBy,
    defaults: pathsOf(DEFAULT_SETTINGS).filter((path) => !own.has(path)),
    ...others,
    finance: { ...finance, baseCurrency: currency },
  };
}
