import { Directory1763700000001 } from '../migrations/1763700000001-directory.js';
import { Records1763700000002 } from '../migrations/1763700000002-records.js';
import { Envelope1763700000005 } from '../migrations/1763700000005-envelope.js';
import { Governance1763700000012 } from '../migrations/1763700000012-governance.js';
import { Automation1763700000014 } from '../migrations/1763700000014-automation.js';
import { Accounting1763700000015 } from '../migrations/1763700000015-accounting.js';
import { ImmutableEvents1763700000035 } from '../migrations/1763700000035-immutable-events.js';
import { SetAsideEvents1763700000037 } from '../migrations/1763700000037-set-aside-events.js';
import { AnswerTerms1763700000041 } from '../migrations/1763700000041-answer-terms.js';
import { BaseCurrency1763700000047 } from '../migrations/1763700000047-base-currency.js';
import { Words1763700000048 } from '../migrations/1763700000048-words.js';
import { Trash1763700000049 } from '../migrations/1763700000049-trash.js';
import { Erasure1763700000050 } from '../migrations/1763700000050-erasure.js';
import { UsageOfKeys1763700000059 } from '../migrations/1763700000059-usage-of-keys.js';
import { Calendars1763700000074 } from '../migrations/1763700000074-calendars.js';
import { ApprovalsOfHome1763700000085 } from '../migrations/1763700000085-approvals-of-home.js';
import { SigningKeys1763700000086 } from '../migrations/1763700000086-signing-keys.js';
import { AuditTree1763700000087 } from '../migrations/1763700000087-audit-tree.js';
import { Jobs1763700000090 } from '../migrations/1763700000090-jobs.js';
import { Retention1763700000091 } from '../migrations/1763700000091-retention.js';
import { Purging1763700000092 } from '../migrations/1763700000092-purging.js';
import { Status1763700000094 } from '../migrations/1763700000094-status.js';
import { KeyVersions1763700000095 } from '../migrations/1763700000095-key-versions.js';
import { MasterKeyAges1763700000101 } from '../migrations/1763700000101-master-key-ages.js';
import { ValidEvents1763700000110 } from '../migrations/1763700000110-valid-events.js';
import { MetricIndexes1763700000115 } from '../migrations/1763700000115-metric-indexes.js';
import { LastingHolds1763700000118 } from '../migrations/1763700000118-lasting-holds.js';
import { TransferJobs1763700000119 } from '../migrations/1763700000119-transfer-jobs.js';
import { CoveringMetricIndexes1763700000124 } from '../migrations/1763700000124-covering-metric-indexes.js';
import { Performance1763700000128 } from '../migrations/1763700000128-performance.js';
import { Traces1763700000137 } from '../migrations/1763700000137-traces.js';
import { Checklists1763700000140 } from '../migrations/1763700000140-checklists.js';
import { Notifications1763700000154 } from '../migrations/1763700000154-notifications.js';
import { JsonObjects1763700000200 } from '../migrations/1763700000200-json-objects.js';
import { WordsInOrder1763700000203 } from '../migrations/1763700000203-words-in-order.js';
import { GivenUpRuns1763700000211 } from '../migrations/1763700000211-given-up-runs.js';
import { QuotedComments1763700000264 } from '../migrations/1763700000264-quoted-comments.js';
import { JobGuarantors1763700000214 } from '../migrations/1763700000214-job-guarantors.js';

/** What all areas stand on: tenants, records, events, audit, keys, settings, figures of requests. */
export const PLATFORM_MIGRATIONS = [
  Directory1763700000001,
  Records1763700000002,
  Envelope1763700000005,
  Governance1763700000012,
  Automation1763700000014,
  Accounting1763700000015,
  ImmutableEvents1763700000035,
  SetAsideEvents1763700000037,
  AnswerTerms1763700000041,
  BaseCurrency1763700000047,
  Words1763700000048,
  Trash1763700000049,
  Erasure1763700000050,
  UsageOfKeys1763700000059,
  Calendars1763700000074,
  ApprovalsOfHome1763700000085,
  SigningKeys1763700000086,
  AuditTree1763700000087,
  Jobs1763700000090,
  Retention1763700000091,
  Purging1763700000092,
  Status1763700000094,
  KeyVersions1763700000095,
  MasterKeyAges1763700000101,
  ValidEvents1763700000110,
  MetricIndexes1763700000115,
  LastingHolds1763700000118,
  TransferJobs1763700000119,
  CoveringMetricIndexes1763700000124,
  Performance1763700000128,
  Traces1763700000137,
  Checklists1763700000140,
  Notifications1763700000154,
  JsonObjects1763700000200,
  WordsInOrder1763700000203,
  GivenUpRuns1763700000211,
  QuotedComments1763700000264,
  JobGuarantors1763700000214,
];
