import { Injectable } from '@nestjs/common';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import type { Transaction } from '#libs/database/transaction.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { POSTURE_CHECKS } from './checks/all.js';
import { PostureAssessor } from './posture-assessor.js';
import type { PostureCheckSetting } from './posture-check-setting.js';
import type { PostureCheck, Verdict } from './posture-check.js';
import type { PostureAssessment, PostureCommand, PostureQuery, PostureView } from './posture.dto.js';
import { PostureRepository, type Results } from './posture.repository.js';
import { type PostureRun, postureRuns, type StoredResult, type TRIGGERS } from './posture-run.js';
import { gradeOf, scoreOf } from './posture-score.js';
import { PostureSettings } from './posture-settings.service.js';
import { checkView, countedOf, type Finding, sinceOf } from './posture-views.js';
import type { PostureChange } from './posture.parts.js';

/** Days for which runs are kept. */
const KEPT_DAYS = 400;

type Selection = Pick<PostureCommand, 'categories' | 'checkKeys'>;

/** The security checks of a tenant: their current state, runs, and acknowledgements. */
@Injectable()
export class PostureService {
  private readonly runs: GovernedObjects<PostureRun>;

  constructor(
    kit: ResourceKit,
    private readonly repository: PostureRepository,
    private readonly assessor: PostureAssessor,
    private readonly settings: PostureSettings,
    private readonly trail: AuditTrail,
  ) {
    this.runs = new GovernedObjects(postureRuns, kit);
  }

  /** Measures all checks now, without storing a run. */
  async read({ include, status, severity }: PostureQuery): Promise<PostureView> {
    const view = present(await this.findings());
    const history = include === 'history' ? await this.repository.history() : null;
    await this.trail.record({ action: 'security.posture.read', target: null, outcome: 'success', riskLevel: 'low' });
    const checks = view.checks.filter(
      (check) => (status?.includes(check.status) ?? true) && (severity?.includes(check.severity) ?? true),
    );
    return { ...view, checks, history };
  }

  /** The last run; null before the first one. */
  lastRun(): ReturnType<PostureRepository['lastRun']> {
    return this.repository.lastRun();
  }

  /** Measures one check inside a transaction, with a setting that is not committed yet. */
  async findingWithin(transaction: Transaction, check: PostureCheck, setting: PostureCheckSetting): Promise<Finding> {
    const before = (await this.repository.lastResults())[check.key];
    const verdict = await this.assessor.measureWithin(transaction, check, setting);
    return { check, setting, verdict, before, now: this.runs.now() };
  }

  /** Runs checks or acknowledges a failing one. @throws Problem 409 `check_not_failing`. */
  async command({ action = 'run', ...command }: PostureCommand): Promise<PostureAssessment> {
    return action === 'run' ? this.run(command, 'request') : this.acknowledge(command.checkKey!, command.note!);
  }

  /**
   * Runs the selected checks and stores the run. Other checks keep the result of their last run; a check without one
   * runs too.
   */
  async run(selection: Selection, trigger: (typeof TRIGGERS)[number]): Promise<PostureAssessment> {
    const settings = await this.settings.all();
    const known = await this.repository.lastResults();
    const asked = POSTURE_CHECKS.filter((check) => isSelected(check, selection) || !known[check.key]);
    const verdicts = await this.assessor.measure(asked, settings);
    return this.runs.unit(async (transaction) => {
      await this.repository.oneByOne(transaction);
      const last = await this.repository.lastResults();
      const now = this.runs.now();
      const findings = POSTURE_CHECKS.map((check): Finding => {
        const before = last[check.key];
        const verdict = verdicts.get(check.key) ?? before!.verdict; // those without a result were measured
        return { check, setting: settings.get(check.key), verdict, before, now };
      });
      const view = present(findings);
      const changes = changesIn(findings);
      const { id } = this.runs.add(
        transaction,
        {
          ...{ score: view.score, grade: view.grade, trigger, changes },
          newCriticalFailures: findings.filter(isNewCriticalFailure).length,
          results: Object.fromEntries(findings.map((finding) => [finding.check.key, resultOf(finding)])),
        },
        'assessed',
      );
      transaction.write(this.repository.forgetBefore(new Date(Date.parse(now) - KEPT_DAYS * DAY_MS).toISOString()));
      return { ...view, history: null, runId: id, changes };
    });
  }

  private async acknowledge(key: string, note: string): Promise<PostureAssessment> {
    const findings = await this.findings();
    const { status } = countedOf(findings.find(({ check }) => check.key === key)!);
    if (status === 'pass' || status === 'not_applicable')
      throw new Problem('check_not_failing', `The check ${key} does not fail.`);
    return this.runs.unit(async (transaction) => {
      await this.repository.oneByOne(transaction);
      const locked = await this.settings.lock(transaction, key);
      const acknowledgement = { note, at: this.settings.now(), by: currentScope().actor };
      const changed = this.settings.change(transaction, locked, { acknowledgement }, 'acknowledged', { reason: note });
      const after = findings.map((each) => (each.check.key === key ? { ...each, setting: changed } : each));
      return { ...present(after), history: null, runId: null, changes: [] };
    });
  }

  private async findings(): Promise<Finding[]> {
    const settings = await this.settings.all();
    const last: Results = await this.repository.lastResults();
    const verdicts: Map<string, Verdict> = await this.assessor.measure(POSTURE_CHECKS, settings);
    const now = this.runs.now();
    return POSTURE_CHECKS.map((check) => {
      const { key } = check;
      return { check, setting: settings.get(key), verdict: verdicts.get(key)!, before: last[key], now };
    });
  }
}

function present(findings: readonly Finding[]): Omit<PostureView, 'history'> {
  const score = scoreOf(findings.map(countedOf));
  return { score, grade: gradeOf(score), asOf: findings[0]!.now, checks: findings.map(checkView) };
}

function isSelected({ key, category }: PostureCheck, { categories, checkKeys }: Selection): boolean {
  if (!categories && !checkKeys) return true;
  return (categories?.includes(category) ?? false) || (checkKeys?.includes(key) ?? false);
}

function resultOf(finding: Finding): StoredResult {
  return { verdict: finding.verdict, status: countedOf(finding).status, since: sinceOf(finding) };
}

function changesIn(findings: readonly Finding[]): PostureChange[] {
  return findings.flatMap((finding) => {
    const { status: to, severity } = countedOf(finding);
    const from = finding.before?.status ?? to;
    return from === to ? [] : [{ checkKey: finding.check.key, severity, from, to }];
  });
}

function isNewCriticalFailure(finding: Finding): boolean {
  const { status, severity } = countedOf(finding);
  return severity === 'critical' && status === 'fail' && finding.before?.status !== 'fail';
}
