import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import { Database } from '#libs/database/database.js';
import { brokenReference } from '#libs/database/failures.js';
import type { Transaction } from '#libs/database/transaction.js';
import { escapePointer } from '#libs/http/field.js';
import { didYouMean } from '#libs/http/problems/hints.js';
import { Clock } from '#libs/kernel/clock.js';
import { MetricCatalogue } from '#libs/measures/metric-catalogue.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { isOwner, RoleBook } from '#libs/members/role-book.js';
import { Commits } from '#libs/resource/records/commits.js';
import { gateDenied, Gates } from '#libs/resource/gates/gates.js';
import { type Merge, withSurvivor } from '#libs/resource/records/merge.js';
import { checkPrecondition } from '#libs/resource/records/precondition.js';
import { MEMBER, mustExist } from '#libs/resource/access/references.js';
import { nextVersion } from '#libs/resource/records/next-version.js';
import { rehearse } from '#libs/resource/records/rehearsal.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { type CompleteGate, type Gate, unsetGate } from '#libs/settings/gate.model.js';
import {
  DEFAULT_SETTINGS,
  type GeneralSettings,
  type PeopleSettings,
  SECTION_PERMISSIONS,
  type SettingsValues,
} from '#libs/settings/settings.model.js';
import type { ScorecardSettings } from '#libs/settings/scorecard.model.js';
import { effective, type EffectiveSettings, type OwnSettings } from '#libs/settings/tenant-settings.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { CalendarsService } from '#src/areas/settings/calendars/calendars.service.js';
import { ChecklistTemplatesService } from '#src/areas/settings/checklist-templates/checklist-templates.service.js';
import { loosened } from './gate-loosening.js';
import { isLooser } from './loosened-data.js';
import { gateViolations } from './gate-rules.js';
import { lockOutViolations } from './lock-out.js';
import { SeriesRules } from './number-series/series-rules.js';
import { type ChangedSettings, SECTIONS, SETTINGS_PATH, SETTINGS_TYPE, type SettingsView } from './settings.dto.js';
import { changedPaths, merged, pathsOf } from './settings-paths.js';
import { SettingsRepository, type StoredSettings } from './settings.repository.js';
import { SERVICE_METRIC_KEYS } from '#src/areas/insights/insights.area.js';

/** State of settings that were never changed. */
const FIRST: StoredSettings = { version: 1, values: {}, updatedAt: null, updatedBy: null };

const PERMISSION = 'settings:manage';
const NAME = 'Settings';
/** Only owners shorten the time that a record stays in the trash. */
const OF_OWNERS = 'tenant:close';

type Patch = Record<string, unknown>;

/** The members of a patch that refer to calendars and checklist templates. */
interface SettingsPatch {
  general?: Partial<GeneralSettings> | null;
  people?: Partial<PeopleSettings> | null;
}

/** The settings after a patch. */
interface Plan {
  before: StoredSettings;
  after: StoredSettings;
  patch: Patch;
  /** New base currency. */
  currency: string;
}

/** The settings of the tenant for administrators. Other code reads them through `TenantSettings`. */
@Injectable()
export class SettingsService implements OnModuleInit {
  constructor(
    private readonly repository: SettingsRepository,
    private readonly database: Database,
    private readonly commits: Commits,
    private readonly registry: ResourceRegistry,
    private readonly clock: Clock,
    private readonly roles: RoleBook,
    private readonly gates: Gates,
    private readonly calendars: CalendarsService,
    private readonly templates: ChecklistTemplatesService,
    private readonly series: SeriesRules,
    private readonly metrics: MetricCatalogue,
  ) {}

  onModuleInit(): void {
    this.registry.addCommands({ type: SETTINGS_TYPE, gate: null, fields: [], executor: this });
    this.registry.followMerges((transaction, merge) => this.follow(transaction, merge));
  }

  /** All effective settings, or those of one section. */
  async read(section?: keyof SettingsValues): Promise<SettingsView> {
    const view = present((await this.repository.find()) ?? FIRST, currentTenant().currency);
    if (section === undefined) return view;
    for (const other of SECTIONS) if (other !== section) delete view[other];
    return { ...view, defaults: view.defaults.filter((path) => path.split('.')[0] === section) };
  }

  /**
   * Merges a patch. A patch without effect keeps the version and emits no event; one that makes a gate easier to pass
   * waits at that gate.
   * @throws Problem 400 for gates, 403 for a section or a shorter trash that is not the caller's to set or a gate that denies, 409
   *   `stale_version`, `base_currency_fixed` or `approval_pending`, 412.
   */
  async change({ version, ...patch }: Patch): Promise<ChangedSettings> {
    this.check(patch);
    return this.unit(async (transaction) => {
      const plan = await this.plan(transaction, patch, version);
      const { before, after, currency } = plan;
      if (before === after) return { ...present(before, currency), changed: [], pendingApproval: null };
      const gate = gateOf(plan);
      return gate ? this.park(transaction, gate, plan) : this.save(transaction, plan);
    });
  }

  /**
   * As {@link change}, for one section of the settings; returns the result of `show` for the new settings.
   * @throws Problem as {@link change}, with pointers relative to the section.
   */
  async changeAt<T>(
    place: string,
    patch: Patch,
    show: (changed: EffectiveSettings & { version: number }) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.unit(async () => {
        const { version } = await this.change(patch);
        const stored = (await this.repository.find()) ?? FIRST;
        return show({ ...effective(stored.values), version });
      });
    } catch (error) {
      throw within(error, place);
    }
  }

  /**
   * Merges a patch into one gate, as {@link change} does for all gates; returns the result of `show`.
   * @throws Problem as {@link change}, with pointers relative to the gate.
   */
  async changeGate<T>(
    key: string,
    { version, ...patch }: Patch,
    show: (changed: ChangedSettings) => Promise<T>,
  ): Promise<T> {
    let index = 0;
    try {
      return await this.unit(async (transaction) => {
        const stored = (await this.repository.lock(transaction)) ?? FIRST;
        const gates = (stored.values.gates ?? []) as Gate[];
        const found = gates.findIndex((gate) => gate.key === key);
        index = found < 0 ? gates.length : found;
        const gate = merged(gates[index] ?? unsetGate(key), patch);
        const after = gates.toSpliced(index, 1, gate as Gate);
        return show(await this.change({ version: version ?? stored.version, gates: after }));
      });
    } catch (error) {
      throw within(error, `/gates/${index}`);
    }
  }

  /** Applies an approved change as its requester. @throws Problem 409 `stale_target`. */
  async execute(_action: string, _id: string, patch: Patch, version: number): Promise<unknown> {
    this.check(patch);
    return this.unit(async (transaction) => {
      const plan = await this.plan(transaction, patch, undefined);
      if (plan.before.version !== version)
        throw new Problem('stale_target', 'The settings have changed since approval was requested.');
      return this.save(transaction, plan);
    });
  }

  /** The problem that an error of the database means; any other error as it is. */
  translate(error: unknown): unknown {
    const pointer = brokenReference(error);
    if (pointer === null) return error;
    return Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such record.' }]);
  }

  private async unit<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      throw this.translate(error);
    }
  }

  /** @throws Problem 400, 403. */
  private check(patch: Patch): void {
    for (const section of Object.keys(patch)) requireSection(section);
    const violations = [
      ...gateViolations((patch['gates'] ?? []) as Gate[], this.registry),
      ...lockOutViolations(patch['security'] ?? {}),
      ...this.targetViolations(patch['scorecards'] ?? {}),
    ];
    if (violations.length > 0) throw Problem.validation(violations);
  }

  private targetViolations({ targets }: Partial<ScorecardSettings>): Violation[] {
    const known = new Set([...this.metrics.all().map(({ key }) => key), ...SERVICE_METRIC_KEYS]);
    return Object.keys(targets ?? {})
      .filter((key) => !known.has(key))
      .map((key) => ({
        pointer: `/scorecards/targets/${escapePointer(key)}`,
        code: 'unknown_metric',
        detail: `There is no such metric.${didYouMean(key, known)}`,
      }));
  }

  /** Locks the settings; before and after are the same where a patch changes nothing. */
  private async plan(transaction: Transaction, patch: Patch, version: unknown): Promise<Plan> {
    const { stored: kept, currency } = parted(patch);
    const isCurrency = currency !== currentTenant().currency;
    const updatedAt = this.clock.now().toISOString();
    const { actor: updatedBy } = currentScope();
    let before = await this.repository.lock(transaction);
    checkVersion(before ?? FIRST, version);
    const changes = (stored: StoredSettings) =>
      isCurrency || !isDeepStrictEqual(merged(stored.values, kept), stored.values);
    if (!before && changes(FIRST)) {
      transaction.write(this.repository.add(updatedAt, updatedBy));
      before = (await this.repository.lock(transaction))!;
      checkVersion(before, version); // a concurrent request may have created the row
    }
    before ??= FIRST;
    if (!changes(before)) return { before, after: before, patch, currency };
    const values = merged(before.values, kept) as OwnSettings;
    if (isLooser(effective(values).data, effective(before.values).data)) requirePermission(OF_OWNERS);
    return { before, after: nextVersion(before, { values, updatedAt, updatedBy }), patch, currency };
  }

  private async save(transaction: Transaction, { before, after, patch, currency }: Plan): Promise<ChangedSettings> {
    await this.series.check(transaction, effective(before.values), effective(after.values));
    await this.requireCalendars(transaction, patch);
    await this.requireTemplates(transaction, patch);
    await this.requireApprovers(transaction, (patch as { gates?: Gate[] | null }).gates ?? []);
    const isCurrency = currency !== currentTenant().currency;
    const old = isCurrency ? await this.setCurrency(transaction, currency) : currency;
    const shown = present(after, currency);
    this.record(transaction, after, { before: present(before, old), after: shown, at: after.updatedAt! }); // of a change
    const changed = changedPaths(before.values, after.values);
    return { ...shown, changed: isCurrency ? [...changed, CURRENCY_PATH].sort() : changed, pendingApproval: null };
  }

  /** @throws Problem 409 `base_currency_fixed` once anything is posted. */
  private async setCurrency(transaction: Transaction, wanted: string): Promise<string> {
    const before = await this.repository.setCurrency(transaction, wanted);
    if (await this.repository.isPosted(transaction))
      throw new Problem(
        'base_currency_fixed',
        `The currency ${before} is fixed, because amounts have been posted in it.`,
      );
    return before;
  }

  /** Requests approval for a valid change. @throws Problem 409 `approval_pending`. */
  private async park(transaction: Transaction, gate: CompleteGate, plan: Plan): Promise<ChangedSettings> {
    const { before, patch } = plan;
    await rehearse(transaction, () => this.save(transaction, plan));
    const { id, status } = await this.gates.park(transaction, {
      gate,
      operation: `${SETTINGS_TYPE}.update`,
      action: 'update',
      summary: `Relax the gate ${gate.key}`,
      permission: PERMISSION,
      object: SETTINGS_TYPE,
      row: { id: currentTenant().id, version: before.version, name: NAME },
      input: patch,
    });
    return { ...present(before, currentTenant().currency), changed: [], pendingApproval: { id, status } };
  }

  private async requireApprovers(transaction: Transaction, gates: Gate[]): Promise<void> {
    for (const [index, { approvers }] of gates.entries()) {
      const { memberIds = [], roleIds = [] } = approvers ?? {};
      const place = `/gates/${index}/approvers`;
      if (memberIds.length > 0) transaction.write(mustExist(MEMBER, `${place}/memberIds`, memberIds));
      await this.roles.resolve(transaction, roleIds, `${place}/roleIds`);
    }
  }

  private async requireCalendars(transaction: Transaction, { general, people }: SettingsPatch): Promise<void> {
    const named = { '/general/calendar': general?.calendar, '/people/holidayCalendar': people?.holidayCalendar };
    const given = Object.entries(named).filter((each): each is [string, string] => typeof each[1] === 'string');
    if (given.length > 0) await this.calendars.requireLive(transaction, given);
  }

  private async requireTemplates(transaction: Transaction, { people }: SettingsPatch): Promise<void> {
    for (const kind of ['onboarding', 'offboarding'] as const) {
      const id = people?.[`${kind}Template`] ?? null;
      if (id !== null) await this.templates.requireLive(transaction, `/people/${kind}Template`, id, kind);
    }
  }

  /** Lets conditions of gates that name a merged record name the one that remains. */
  private async follow(transaction: Transaction, merge: Merge): Promise<void> {
    const before = (await this.repository.lock(transaction)) ?? FIRST;
    const values = withSurvivor(before.values, merge);
    if (isDeepStrictEqual(values, before.values)) return;
    const at = this.clock.now().toISOString();
    const after = nextVersion(before, { values, updatedAt: at, updatedBy: currentScope().actor });
    const { currency } = currentTenant();
    this.record(transaction, after, { before: present(before, currency), after: present(after, currency), at });
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
        name: NAME,
      },
      riskLevel: 'medium',
    });
  }
}

const CURRENCY_PATH = 'finance.baseCurrency';

type FinancePatch = Record<string, unknown> & { baseCurrency?: string };

/** Rewrites the pointers of a problem relative to a section of the settings. */
function within(error: unknown, place: string): unknown {
  if (!(error instanceof Problem) || !error.more.errors) return error;
  return Problem.validation(
    error.more.errors.map((violation) =>
      violation.pointer?.startsWith(`${place}/`)
        ? { ...violation, pointer: violation.pointer.slice(place.length) }
        : violation,
    ),
  );
}

const PARTS: Record<string, Permission> = SECTION_PERMISSIONS;

/** @throws Problem 403 `permission_denied`. */
function requireSection(section: string): void {
  const part = PARTS[section];
  requirePermission(PERMISSION, { parts: part ? [part] : [] });
}

/**
 * The gate at which a change must wait because it makes that gate easier to pass; null if it can be applied. A gate that
 * denies has no approvers: only owners, and service keys with all rights of an owner, can relax it.
 * @throws Problem 403 `gate_denied`, 400 if more than one gate would have to approve.
 */
function gateOf({ before, after }: Plan): CompleteGate | null {
  const gates = loosened(effective(before.values).gates, effective(after.values).gates);
  const denying = gates.find(({ effect }) => effect === 'deny');
  if (denying && !isOwner(currentPrincipal())) throw gateDenied(denying.key, 'Only owners loosen a gate that denies.');
  const [gate, other] = gates.filter(({ effect }) => effect !== 'deny');
  if (!other) return gate ?? null;
  const detail = `Loosen one at a time: ${gates.map(({ key }) => key).join(', ')}.`;
  throw Problem.validation([{ pointer: '/gates', code: 'one_at_a_time', detail }]);
}

/** @throws Problem 412 for `If-Match`, 409 `stale_version` for the version in the body. */
function checkVersion(settings: StoredSettings, version: unknown): void {
  checkPrecondition(settings.version);
  if (version !== undefined && version !== settings.version)
    throw new Problem('stale_version', 'The settings have changed; read them again.', {
      extensions: { version: settings.version },
    });
}

/** The stored settings after a patch, and the new currency, which is stored with the tenant. */
function parted(patch: { finance?: FinancePatch | null }): { stored: object; currency: string } {
  const { baseCurrency: currency = currentTenant().currency, ...finance } = patch.finance ?? {};
  return { stored: patch.finance ? { ...patch, finance } : patch, currency };
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
