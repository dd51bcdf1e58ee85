import { type PostureCheck, type Verdict, WEIGHTS } from './posture-check.js';
import { exceptionOf, limitsOf, type PostureCheckSetting, severityOf } from './posture-check-setting.js';
import { type Counted, counted } from './posture-score.js';
import type { PostureCheckView } from './posture.dto.js';
import type { StoredResult } from './posture-run.js';

/** What is known about a check at one time. */
export interface Finding {
  check: PostureCheck;
  setting: PostureCheckSetting | undefined;
  verdict: Verdict;
  /** In the last run; undefined if it was not part of it. */
  before: StoredResult | undefined;
  now: string;
}

/** The check as it counts towards the score. */
export function countedOf({ check, setting, verdict, now }: Finding): Counted {
  return counted(verdict, severityOf(check, setting), exceptionOf(setting, now) !== null);
}

/** Since when the check has its status, as far as known. */
export function sinceOf(finding: Finding): string {
  const { before, now } = finding;
  return before?.status === countedOf(finding).status ? before.since : now;
}

export function checkView(finding: Finding): PostureCheckView {
  const { check, setting, verdict, now } = finding;
  const { key, category, title, why, remediation } = check;
  const { status, credit, severity } = countedOf(finding);
  const limits = limitsOf(check, setting);
  const since = sinceOf(finding);
  const { acknowledgement = null, ownerId = null, severityOverride = null, version = 1 } = setting ?? {};
  return {
    ...{ key, category, title, severity, severityOverride, weight: WEIGHTS[severity], status },
    credit: Math.round(credit * 1_000) / 1_000,
    measured: verdict.measured,
    expected: check.expected(limits),
    ...{ why, remediation, since, thresholds: limits, ownerId, version },
    exception: exceptionOf(setting, now),
    // An acknowledgement is about the current failure.
    acknowledgement: acknowledgement && status !== 'pass' && acknowledgement.at >= since ? acknowledgement : null,
  };
}
