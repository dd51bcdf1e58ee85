import { PLAN_NAMES } from '#libs/auth/plans.js';
import { Field, id, instant, integer, listOf, name, nested, number, oneOf, text } from '#libs/http/field.js';
import { FigureAmount } from '#libs/measures/figure.dto.js';
import { SLO_STATUSES, type SloStatus } from '#src/areas/service-levels/service-levels.area.js';

export const ALERT_CODES = [
  'slo_burning_fast',
  'slo_exhausted',
  'dead_deliveries',
  'security_check_failing',
  'access_review_overdue',
  'seats_exhausted',
  'ai',
] as const;
export const SEVERITIES = ['info', 'warning', 'critical'] as const;

const count = (description: string, example: number) =>
  Field(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), { description, example });
/** A figure of a section that is left out if the caller may not read it. */
const partCount = (description: string, example: number) =>
  Field(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), { description, example, optional: true });
const percent = () => number({ min: 0, max: 100 });
const amounts = (description: string) => Field(listOf(nested(FigureAmount), { max: 200 }), { description });

export class OverviewQuery {
  @Field(id(), {
    description:
      'Counts only records in this workspace. Sections whose records have no workspace are omitted; sections that are not about records do not change.',
    optional: true,
  })
  workspaceId?: string;
}

export class TenantOverview {
  @Field(name(), { description: 'Display name.', example: 'Acme Inc.' }) name!: string;
  @Field(oneOf(PLAN_NAMES), { description: 'Plan.', example: 'business' }) plan!: string;
  @Field(instant(), { description: 'Time of creation.' }) createdAt!: string;
}

export class SeatsOverview {
  @count('Seats taken by members and open invitations.', 14) used!: number;

  @Field(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), {
    description: 'Seats of the plan; null if it has no limit.',
    example: 50,
    nullable: true,
  })
  limit!: number | null;
}

export class MembersOverview {
  @count('Active members.', 12) active!: number;
  @count('Invited members and open invitations.', 2) invited!: number;
  @count('Suspended members.', 1) suspended!: number;
  @Field(nested(SeatsOverview), { description: 'Seats.' }) seats!: SeatsOverview;
}

export class SecurityOverview {
  @Field(integer({ min: 0, max: 100 }), {
    description: 'Score of the last run of the security checks; null before the first one.',
    example: 84,
    nullable: true,
  })
  postureScore!: number | null;

  @Field(integer({ min: 0, max: 1_000 }), {
    description: 'Checks that failed, or passed only in part, in that run; null before the first one.',
    example: 3,
    nullable: true,
  })
  openFindings!: number | null;

  @Field(instant(), { description: 'Time of that run.', nullable: true })
  assessedAt!: string | null;

  @Field(percent(), {
    description:
      'Active members whose last sign-in used a second factor, in percent; null without active members. Omitted without `members:read`.',
    example: 91.667,
    nullable: true,
    optional: true,
  })
  mfaCoveragePercent?: number | null;
}

export class HealthOverview {
  @count('Not reported.', 2) unknown!: number;
  @count('On track.', 8) onTrack!: number;
  @count('At risk.', 2) atRisk!: number;
  @count('Off track.', 1) offTrack!: number;
}

export class DeliveryOverview {
  @Field(nested(HealthOverview), {
    description: 'Projects under delivery control by reported health, as its `summary.byHealth`.',
  })
  byHealth!: HealthOverview;
}

export class SalesOverview {
  @amounts('Values of the open deals, by currency.') openValue!: FigureAmount[];
  @amounts('Values of the deals won this month, by currency.') wonThisMonth!: FigureAmount[];
}

export class FinanceOverview {
  @amounts('Open amounts of overdue invoices, by currency.') overdue!: FigureAmount[];
  @amounts('Open amounts of all invoices, by currency.') receivable!: FigureAmount[];
}

export class PeopleOverview {
  @count('Active employees.', 38) headcount!: number;
  @count('Employees whose first day is in the next 30 days.', 2) joinersNext30d!: number;
}

export class TalentOverview {
  @partCount('Open jobs. Omitted without `jobs:read`.', 4) openJobs?: number;
  @partCount('Active candidates. Omitted without `candidates:read`.', 61) activeCandidates?: number;
}

export class AiSectionOverview {
  @Field(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), {
    description: 'Spent this month, micros; null beyond the range of exact integers.',
    example: 12_400_000,
    nullable: true,
  })
  spendMonthMicros!: number | null;

  @count('Jobs that wait for approval.', 2) pendingApprovals!: number;
}

export class PlatformOverview {
  @Field(oneOf(SLO_STATUSES), {
    description: 'Worst status of the service-level objectives. Omitted without `slo:read`.',
    example: 'healthy',
    optional: true,
  })
  sloStatus?: SloStatus;

  @partCount('Deliveries that are not finished. Omitted without `outbox:read`.', 3) outboxBacklog?: number;
  @partCount('Deliveries that failed in all attempts. Omitted without `outbox:read`.', 0) deadEntries?: number;

  @Field(number({ min: 0, max: 1 }), {
    description:
      '5xx responses ÷ responses of the last hour, from 0 to 1; null without any. Omitted without `usage:read`.',
    example: 0.0002,
    nullable: true,
    optional: true,
  })
  errorRate1h?: number | null;

  @Field(percent(), {
    description: 'Share of the minutes of this hour in which the API was up. Omitted without `usage:read`.',
    example: 100,
    optional: true,
  })
  coverage1hPercent?: number;

  @partCount('Requests refused by the rate limits in the last 24 hours. Omitted without `usage:read`.', 0)
  rateLimitedRequests24h?: number;
}

export class ComplianceOverview {
  @partCount('Access reviews in progress. Omitted without `access-reviews:read`.', 1) openReviews?: number;
  @partCount('Active legal holds. Omitted without `retention:read`.', 0) holds?: number;
}

export class OverviewAlert {
  @Field(oneOf(ALERT_CODES), { description: 'Subject.', example: 'dead_deliveries' })
  code!: (typeof ALERT_CODES)[number];

  @Field(oneOf(SEVERITIES), { description: 'Severity.', example: 'warning' })
  severity!: (typeof SEVERITIES)[number];

  @Field(text({ max: 500 }), { description: 'For people.', example: '3 deliveries failed in all attempts.' })
  message!: string;

  @Field(text({ max: 500 }), {
    description: 'Path of the details.',
    example: '/api/admin/outbox?status=exhausted',
  })
  path!: string;
}

const section = (description: string) => ({ description, optional: true });

export class Overview {
  @Field(nested(TenantOverview), { description: 'The tenant.' })
  tenant!: TenantOverview;

  @Field(nested(MembersOverview), section('Requires `members:read`.'))
  members?: MembersOverview;

  @Field(nested(SecurityOverview), section('Requires `security:read`.'))
  security?: SecurityOverview;

  @Field(nested(DeliveryOverview), section('Requires `projects:read`.'))
  delivery?: DeliveryOverview;

  @Field(nested(SalesOverview), section('Requires `deals:read`.'))
  sales?: SalesOverview;

  @Field(nested(FinanceOverview), section('Requires `invoices:read`.'))
  finance?: FinanceOverview;

  @Field(nested(PeopleOverview), section('Requires `employees:read`.'))
  people?: PeopleOverview;

  @Field(nested(TalentOverview), section('Requires one of the permissions of its figures.'))
  talent?: TalentOverview;

  @Field(nested(AiSectionOverview), section('Requires `ai-jobs:read-all`.'))
  ai?: AiSectionOverview;

  @Field(nested(PlatformOverview), section('Requires one of the permissions of its figures.'))
  platform?: PlatformOverview;

  @Field(nested(ComplianceOverview), section('Requires one of the permissions of its figures.'))
  compliance?: ComplianceOverview;

  @Field(listOf(nested(OverviewAlert), { max: 100 }), {
    description: 'What needs attention in these sections, most severe first.',
  })
  alerts!: OverviewAlert[];

  @Field(instant(), { description: 'Time of these figures.' })
  asOf!: string;
}
