import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import type { Transaction } from '#libs/database/transaction.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { SampleData } from '#libs/resource/sample/sample-data.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { type OnboardingProgress, TenantOnboarding } from '#libs/tenants/tenant-onboarding.js';
import { type FinishedStep, Onboarding, onboardingType, requiredLeft } from './onboarding.js';
import type { OnboardingCommand, OnboardingView } from './onboarding.dto.js';
import { OnboardingRepository } from './onboarding.repository.js';
import { REQUIRED, type StepKey, STEPS } from './onboarding-steps.js';

/** The onboarding of the tenant in scope. */
@Injectable()
export class OnboardingService implements OnModuleInit {
  private readonly objects: GovernedObjects<Onboarding>;

  constructor(
    kit: ResourceKit,
    private readonly repository: OnboardingRepository,
    private readonly samples: SampleData,
    private readonly tenant: TenantOnboarding,
    private readonly accounts: RequestAccounts,
  ) {
    this.objects = new GovernedObjects(onboardingType, kit);
  }

  onModuleInit(): void {
    this.tenant.comesFrom(() => this.progress());
  }

  /** The state of all steps. Steps that are found done for the first time are recorded. */
  async read(): Promise<OnboardingView> {
    const row = await this.objects.rows.find(currentTenant().id);
    const detected = await this.repository.detected();
    if (row && newlyDone(row, detected).length === 0) return this.view(row);
    return this.objects.unit(async (transaction) => this.view((await this.current(transaction)).row));
  }

  /** As {@link read}, but changes nothing: it neither starts the onboarding nor records steps. */
  async progress(): Promise<OnboardingProgress> {
    const { steps: recorded, dismissed } = (await this.objects.rows.find(currentTenant().id)) ?? {
      steps: [],
      dismissed: false,
    };
    const found = newlyDone({ steps: recorded }, await this.repository.detected()).map((key) => this.done(key));
    const steps = found.reduce(withStep, recorded);
    const nextSteps = shownSteps(steps).filter(({ status, required }) => status === 'todo' && required);
    return { ...progressOf(steps), dismissed, nextSteps };
  }

  /**
   * @throws Problem 400 `not_detected`; 409 `invalid_transition`, `in_use`; 423 `legal_hold`.
   */
  command(input: OnboardingCommand): Promise<OnboardingView> {
    if (input.action?.endsWith('_sample_data')) this.accounts.excuse();
    return this.objects.unit(async (transaction) => {
      const { row, detected } = await this.current(transaction);
      const changed = await this.apply(transaction, row, input);
      return this.view(this.record(transaction, changed, detected));
    });
  }

  /** The onboarding, locked, and the steps whose condition is true; new ones are recorded. */
  private async current(transaction: Transaction): Promise<{ row: Onboarding; detected: StepKey[] }> {
    await this.repository.oneByOne(transaction);
    const row = await this.objects.rows.lock(transaction, currentTenant().id);
    const detected = await this.repository.detected();
    return { row: row ? this.record(transaction, row, detected) : this.start(transaction, detected), detected };
  }

  private start(transaction: Transaction, detected: StepKey[]): Onboarding {
    const startedAt = this.objects.now();
    const steps = detected.map((key) => this.done(key));
    const completedAt = requiredLeft(steps) === 0 ? startedAt : null;
    const { id } = currentTenant();
    const own = { id, steps, startedAt, completedAt, dismissed: false, sampleLoadedAt: null, sampleRecords: 0 };
    return this.objects.add(transaction, own, 'started');
  }

  private record(transaction: Transaction, row: Onboarding, detected: StepKey[]): Onboarding {
    const found = newlyDone(row, detected).map((key) => this.done(key));
    if (found.length === 0) return row;
    return this.setSteps(transaction, row, found.reduce(withStep, row.steps), 'step_completed');
  }

  private async apply(
    transaction: Transaction,
    row: Onboarding,
    { action, stepKey }: OnboardingCommand,
  ): Promise<Onboarding> {
    if (action === 'load_sample_data') return this.loadSample(transaction, row);
    if (action === 'remove_sample_data') return this.removeSample(transaction, row);
    if (action === 'dismiss') {
      if (row.dismissed) throw isSoAlready(action, 'dismissed', ['restart']);
      return this.objects.change(transaction, row, { dismissed: true }, 'dismissed');
    }
    if (action === 'restart') {
      const begun = { steps: [], startedAt: this.objects.now(), completedAt: null, dismissed: false };
      return this.objects.change(transaction, row, begun, 'restarted');
    }
    const key = stepKey!; // checked with the form
    const before = row.steps.find((step) => step.key === key);
    switch (action) {
      case 'complete':
        return this.confirm(transaction, row, before);
      case 'skip':
        return this.skip(transaction, row, key, before);
      case 'reset':
        if (!before) throw isSoAlready(action, 'todo', ['skip']);
        return this.setSteps(transaction, row, withoutStep(row.steps, key), 'step_reset');
    }
  }

  /** @throws Problem 409 `invalid_transition`, or `in_use` if sample records are left from a removal. */
  private async loadSample(transaction: Transaction, row: Onboarding): Promise<Onboarding> {
    if (row.sampleLoadedAt !== null) {
      const kept = await this.samples.kept();
      if (kept.length === 0) throw isSoAlready('load_sample_data', 'loaded', ['remove_sample_data']);
      const left = kept.every(({ usedBy }) => usedBy === null)
        ? 'Sample records were kept for records that are gone by now. Remove the sample data again.'
        : 'Other records depend on sample records that were kept. Remove these, then the sample data again.';
      throw new Problem('in_use', left);
    }
    const sampleLoadedAt = this.objects.now(); // before the metrics that it records
    const sampleRecords = await this.samples.load(transaction);
    const changes = { sampleLoadedAt, sampleRecords };
    return this.objects.change(transaction, row, changes, 'sample_data_loaded');
  }

  /** @throws Problem 409 `invalid_transition`, 423 `legal_hold`. */
  private async removeSample(transaction: Transaction, row: Onboarding): Promise<Onboarding> {
    if (row.sampleLoadedAt === null) throw isSoAlready('remove_sample_data', 'removed', ['load_sample_data']);
    const sampleRecords = await this.samples.remove(transaction, row.sampleLoadedAt);
    const sampleLoadedAt = sampleRecords === 0 ? null : row.sampleLoadedAt;
    return this.objects.change(transaction, row, { sampleLoadedAt, sampleRecords }, 'sample_data_removed');
  }

  private async view(row: Onboarding): Promise<OnboardingView> {
    const { sampleLoadedAt: loadedAt, sampleRecords: records } = row;
    const sampleData = loadedAt === null ? null : { loadedAt, records, kept: await this.samples.kept() };
    return { ...present(row), sampleData };
  }

  /** @throws Problem 400 `not_detected`, 409 `invalid_transition`. */
  private confirm(transaction: Transaction, row: Onboarding, before: FinishedStep | undefined): Onboarding {
    if (before?.status !== 'done')
      throw new Problem('not_detected', 'The data of the tenant does not show this step as done. You can skip it.');
    if (before.completedBy) throw isSoAlready('complete', 'confirmed', ['reset']);
    const confirmed = { ...before, completedBy: currentScope().actor };
    return this.setSteps(transaction, row, withStep(row.steps, confirmed), 'step_completed');
  }

  /** @throws Problem 409 `invalid_transition`. */
  private skip(transaction: Transaction, row: Onboarding, key: StepKey, before: FinishedStep | undefined): Onboarding {
    if (before) throw isSoAlready('skip', before.status, ['reset']);
    const skipped: FinishedStep = { key, status: 'skipped', detectedAt: null, completedBy: currentScope().actor };
    return this.setSteps(transaction, row, withStep(row.steps, skipped), 'step_skipped');
  }

  private setSteps(transaction: Transaction, row: Onboarding, steps: FinishedStep[], event: string): Onboarding {
    const completedAt = requiredLeft(steps) === 0 ? (row.completedAt ?? this.objects.now()) : null;
    return this.objects.change(transaction, row, { steps, completedAt }, event);
  }

  private done(key: StepKey): FinishedStep {
    return { key, status: 'done', detectedAt: this.objects.now(), completedBy: null };
  }
}

function isSoAlready(action: OnboardingCommand['action'], state: string, allowedActions: string[]): Problem {
  return invalidTransition(action, { state }, allowedActions, 'Nothing would change: it is so already.');
}

/** Detected steps that are not recorded as done. */
function newlyDone({ steps }: Pick<Onboarding, 'steps'>, detected: StepKey[]): StepKey[] {
  return detected.filter((key) => !steps.some((step) => step.key === key && step.status === 'done'));
}

function withoutStep(steps: FinishedStep[], key: StepKey): FinishedStep[] {
  return steps.filter((step) => step.key !== key);
}

function withStep(steps: FinishedStep[], step: FinishedStep): FinishedStep[] {
  return [...withoutStep(steps, step.key), step];
}

function present({ steps, startedAt, completedAt, dismissed }: Onboarding): Omit<OnboardingView, 'sampleData'> {
  return { ...progressOf(steps), steps: shownSteps(steps), startedAt, completedAt, dismissed };
}

function progressOf(steps: readonly FinishedStep[]): Pick<OnboardingView, 'progressPercent' | 'requiredLeft'> {
  const left = requiredLeft(steps);
  return { progressPercent: Math.floor((100 * (REQUIRED.length - left)) / REQUIRED.length), requiredLeft: left };
}

function shownSteps(finished: readonly FinishedStep[]): OnboardingView['steps'] {
  return STEPS.map(({ key, title, area, actionPath }, index) => {
    const { status = 'todo', detectedAt = null, completedBy = null } = finished.find((step) => step.key === key) ?? {};
    const required = REQUIRED.includes(key);
    return { key, title, area, required, order: index + 1, status, detectedAt, completedBy, actionPath };
  });
}
