import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import { Gates } from '#libs/resource/gates/gates.js';
import { rehearse } from '#libs/resource/records/rehearsal.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { POSTURE_CHECKS } from './checks/all.js';
import { type PostureCheck, SEVERITIES } from './posture-check.js';
import { exceptionOf, type PostureCheckSetting, postureSettings, severityOf } from './posture-check-setting.js';
import type { ChangedPostureCheck, ChangePostureCheck, ExceptionTerms } from './posture.dto.js';
import { PostureRepository } from './posture.repository.js';
import { PostureService } from './posture.service.js';
import { type LockedSetting, PostureSettings } from './posture-settings.service.js';
import { checkView } from './posture-views.js';

const PERMISSION = 'security:manage';
const MAX_EXCEPTION_DAYS = 365;
/** The gate that holds changes that loosen checks of high severity. */
const LOOSENING_GATE = 'posture.loosen';
const GATE_FIELDS = ['checkKey', 'category', 'severity'];

type Wanted = Omit<ChangePostureCheck, 'checkKey'>;
type Decided = Partial<Pick<PostureCheckSetting, 'exception' | 'ownerId' | 'severityOverride' | 'thresholds'>>;

/** Changes what a tenant has decided about a check: exception, owner, severity, thresholds. */
@Injectable()
export class PostureChanges implements OnModuleInit {
  constructor(
    private readonly posture: PostureService,
    private readonly settings: PostureSettings,
    private readonly repository: PostureRepository,
    private readonly database: Database,
    private readonly registry: ResourceRegistry,
    private readonly gates: Gates,
  ) {}

  onModuleInit(): void {
    const { type } = postureSettings;
    this.registry.addCommands({ type, gate: LOOSENING_GATE, fields: GATE_FIELDS, executor: this });
  }

  /**
   * Changes a check. Loosening one of high severity waits at the gate `posture.loosen` if the tenant has enabled it.
   * @throws Problem 400 `validation_failed`; 403 `gate_denied`; 409 `approval_pending`.
   */
  async change({ checkKey, ...wanted }: ChangePostureCheck): Promise<ChangedPostureCheck> {
    const check = checkOfKey(checkKey);
    return this.database.transaction(async (transaction) => {
      await this.repository.oneByOne(transaction);
      const locked = await this.settings.lock(transaction, checkKey);
      const decided = await this.decide(check, locked.before, wanted);
      const work = () => Promise.resolve(this.save(transaction, check, locked, decided));
      const pendingApproval = await this.hold(transaction, { check, before: locked.before, decided, wanted }, work);
      const setting = pendingApproval ? locked.before : await work();
      return { ...checkView(await this.posture.findingWithin(transaction, check, setting)), pendingApproval };
    });
  }

  /** Applies an approved change as its requester. @throws Problem 400, 403, 409 `stale_target`. */
  async execute(
    _action: string,
    _id: string,
    input: Record<string, unknown>,
    version: number,
  ): Promise<PostureCheckSetting> {
    const { checkKey, ...wanted } = input as unknown as ChangePostureCheck; // validated when approval was requested
    return this.database.transaction(async (transaction) => {
      requirePermission(PERMISSION);
      await this.repository.oneByOne(transaction);
      const check = checkOfKey(checkKey);
      const locked = await this.settings.lock(transaction, checkKey);
      if (locked.before.version !== version)
        throw new Problem('stale_target', 'The check has changed since approval was requested.');
      return this.save(transaction, check, locked, await this.decide(check, locked.before, wanted));
    });
  }

  translate(error: unknown): unknown {
    return error;
  }

  /** The values that differ. @throws Problem 400 `validation_failed`. */
  private async decide(check: PostureCheck, before: PostureCheckSetting, wanted: Wanted): Promise<Decided> {
    const { exception, ownerId, severityOverride } = wanted;
    const violations = [...faultsOfException(exception, this.settings.now()), ...faultsOfThresholds(check, wanted)];
    if (ownerId && ownerId !== before.ownerId && !(await this.repository.isActiveMember(ownerId)))
      violations.push({ pointer: '/ownerId', code: 'unknown_reference', detail: 'There is no such active member.' });
    if (violations.length > 0) throw Problem.validation(violations);
    const decided: Decided = {
      ...(exception !== undefined && { exception: this.exceptionFor(before, exception) }),
      ...(ownerId !== undefined && { ownerId }),
      ...(severityOverride !== undefined && { severityOverride }),
      ...(wanted.thresholds !== undefined && { thresholds: thresholdsAfter(before, wanted.thresholds) }),
    };
    const differing = Object.entries(decided).filter(
      ([field, value]) => !isDeepStrictEqual(before[field as keyof Decided], value),
    );
    return Object.fromEntries(differing);
  }

  /** The same terms keep the exception as it was granted. */
  private exceptionFor(before: PostureCheckSetting, terms: ExceptionTerms | null): PostureCheckSetting['exception'] {
    if (terms === null) return null;
    const expiresAt = new Date(terms.expiresAt).toISOString();
    const { exception: old } = before;
    if (old?.reason === terms.reason && old.expiresAt === expiresAt) return old;
    return { reason: terms.reason, expiresAt, grantedAt: this.settings.now(), grantedBy: currentScope().actor };
  }

  /** Requests approval; null if the change can be made at once. @throws Problem 403, 409. */
  private async hold(
    transaction: Transaction,
    change: { check: PostureCheck; before: PostureCheckSetting; decided: Decided; wanted: Wanted },
    work: () => Promise<unknown>,
  ): Promise<PendingApproval | null> {
    const { check, before, decided, wanted } = change;
    if (!isGated(check, before) || !this.isLoosened(check, before, decided)) return null;
    const { key: checkKey, category } = check;
    const severity = severityOf(check, before);
    const gate = await this.gates.holding(LOOSENING_GATE, () => ({ checkKey, category, severity }));
    if (!gate) return null;
    await rehearse(transaction, work);
    const { id, status } = await this.gates.park(transaction, {
      gate,
      operation: 'admin.security.posture.update',
      action: 'update',
      summary: 'Loosen a security check',
      permission: PERMISSION,
      object: postureSettings.type,
      row: { id: before.id, version: before.version, name: check.title },
      input: { checkKey, ...wanted },
    });
    return { id, status };
  }

  /** Whether the change accepts a risk or hides it. Any other threshold counts, because some are minimums. */
  private isLoosened(check: PostureCheck, before: PostureCheckSetting, decided: Decided): boolean {
    const after = { ...before, ...decided };
    const until = exceptionOf(before, this.settings.now())?.expiresAt ?? '';
    if (decided.exception && decided.exception.expiresAt > until) return true;
    if (rankOf(severityOf(check, after)) < rankOf(severityOf(check, before))) return true;
    return decided.thresholds !== undefined;
  }

  private save(
    transaction: Transaction,
    check: PostureCheck,
    locked: LockedSetting,
    decided: Decided,
  ): PostureCheckSetting {
    const { before } = locked;
    if (Object.keys(decided).length === 0) return before;
    const event = decided.exception
      ? 'exception_granted'
      : decided.exception === null
        ? 'exception_removed'
        : 'updated';
    const riskLevel = isGated(check, before) ? 'high' : 'medium';
    const reason = decided.exception?.reason ?? null;
    return this.settings.change(transaction, locked, decided, event, { riskLevel, reason });
  }
}

const rankOf = (severity: PostureCheck['severity']): number => SEVERITIES.indexOf(severity);

/** Whether the check is of high severity, by itself or for the tenant. */
function isGated(check: PostureCheck, setting: PostureCheckSetting): boolean {
  return Math.max(rankOf(check.severity), rankOf(severityOf(check, setting))) >= rankOf('high');
}

function checkOfKey(key: string): PostureCheck {
  return POSTURE_CHECKS.find((check) => check.key === key)!; // validated with the body
}

function faultsOfException(exception: ExceptionTerms | null | undefined, now: string): Violation[] {
  if (!exception) return [];
  const pointer = '/exception/expiresAt';
  const fromNowMs = Date.parse(exception.expiresAt) - Date.parse(now);
  if (fromNowMs <= 0) return [{ pointer, code: 'out_of_range', detail: 'The exception must end in the future.' }];
  if (fromNowMs <= MAX_EXCEPTION_DAYS * DAY_MS) return [];
  return [{ pointer, code: 'exception_too_long', detail: `It may last at most ${MAX_EXCEPTION_DAYS} days.` }];
}

function faultsOfThresholds({ key, thresholds: known }: PostureCheck, { thresholds }: Wanted): Violation[] {
  return Object.entries(thresholds ?? {}).flatMap(([name, value]): Violation[] => {
    const pointer = `/thresholds/${name}`;
    const threshold = Object.hasOwn(known, name) ? known[name]! : null;
    if (!threshold) {
      const names = Object.keys(known).join(', ') || 'none';
      return [{ pointer, code: 'unknown_threshold', detail: `The thresholds of ${key}: ${names}.` }];
    }
    const { min, max } = threshold;
    if (value === null || (value >= min && value <= max)) return [];
    return [{ pointer, code: 'out_of_range', detail: `The threshold must be from ${min} to ${max}.` }];
  });
}

function thresholdsAfter(
  before: PostureCheckSetting,
  wanted: Readonly<Record<string, number | null>> | null,
): Record<string, number> {
  const entries = wanted === null ? [] : Object.entries({ ...before.thresholds, ...wanted });
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => entry[1] !== null));
}
