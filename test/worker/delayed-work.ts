/** What the platform does later than it is asked to: flows, timers, jobs, and the parts of the worker. */
export interface DelayedWork {
  /** Names of flows, timers and kinds of jobs, or classes of the worker; `*` stands for any ending. */
  kinds: readonly string[];
  /** Who stands behind it. */
  behind: string;
  /** What is asked again when it is done; null where nobody's rights count. */
  asks: string | null;
  /** Spec and title of the test that what is asked is refused; null where nothing is. */
  proof: readonly [spec: string, title: string] | null;
  /** What happens when it cannot be done. */
  givenUp: string;
}

const TOLD =
  'A failed job with an event; whoever asked for it, the owner of the record and those who manage the tenant are told.';
const REPEATED = 'Repeated at the next round; logged, and the metrics of the worker show it.';
const NOBODY = { asks: null, proof: null };
const OF_JOBS = ['test/worker/given-up.spec.ts', 'is not done once who ordered it may not any more: %s'] as const;

/** All kinds. What has no statement here fails a test. */
export const DELAYED_WORK: readonly DelayedWork[] = [
  {
    kinds: ['talent.mapping.step_due'],
    behind: 'Who applied the mapping; for an automatic one nobody, so it gives no privileged role.',
    asks: 'The right to apply it, to invite, and to grant its roles; address and roles are those promised.',
    proof: [
      'test/e2e/admin/mapping-promises.spec.ts',
      'is asked again: a member who has been demoted since promises nothing',
    ],
    givenUp: 'The step fails with its reason; who applied it and those who may retry it are told.',
  },
  {
    kinds: ['sales.handoff.execute'],
    behind: 'Who accepted the handoff.',
    asks: 'The right to accept it; amount, currency and account are those accepted.',
    proof: ['test/worker/sales-handoff.spec.ts', 'fails if whoever accepted it may not any more'],
    givenUp: 'The step fails with its reason; both owners are told.',
  },
  {
    kinds: ['core.membership.transfer', 'core.retention', 'webhook.recovery'],
    behind: 'Who ordered it; for the nightly retention the policy of the tenant.',
    asks: 'The right to order it, before each step.',
    proof: OF_JOBS,
    givenUp: TOLD,
  },
  {
    kinds: ['reports.report.due', 'reports.run'],
    behind: 'The owner of the report, with the credential that set the schedule or started the run.',
    asks: 'The right to read the report and all that it reads.',
    proof: ['test/worker/reports.spec.ts', 'is paused with the reason %s and an event'],
    givenUp: 'The run fails with its reason; a paused schedule is told to its owner, or to those who manage reports.',
  },
  {
    kinds: ['home.notifications.*', 'DueUpkeep', 'DigestUpkeep'],
    behind: 'Each reader.',
    asks: 'Whether the reader may see the record now.',
    proof: [
      'test/worker/notifications.spec.ts',
      'is not told to members who may not see the record, even if they could when it was told',
    ],
    givenUp: TOLD,
  },
  {
    kinds: ['AiWorker'],
    behind: 'Who requested the AI job.',
    asks: 'Their right to request it and to read its targets; for accepted changes, also the right to make each.',
    proof: [
      'test/worker/ai-scheduling.spec.ts',
      'is rejected when the requester has lost the permission or cannot read a target',
    ],
    givenUp: 'The job fails with its reason and an event.',
  },
  {
    kinds: [
      'core.invitation.expiry',
      'core.approval.expiry',
      'core.secret.notice',
      'core.secret.grace_over',
      'talent.candidate.consent_expired',
      'talent.offer.expired',
      'finance.invoice.overdue',
      'work.task.overdue',
      'people.employee.start_due',
      'people.employee.termination_due',
      'people.employment.due',
      'people.time_off.begins',
      'people.time_off.ends',
      'compliance.access_review.due',
      'compliance.access_review.reminder',
    ],
    behind: 'Nobody: a date that the record shows has come. Who may set the date has decided.',
    ...NOBODY,
    givenUp: TOLD,
  },
  {
    kinds: [
      'core.retention.nightly',
      'compliance.access_review.recurrence',
      'finance.dunning.reschedule',
      'finance.invoice.dunning',
      'finance.project.month_end',
      'finance.month_end_of_project',
      'finance.reschedule_dunning_on_settings',
      'work.cycle.turn',
    ],
    behind: 'Nobody: a rule of the tenant, which only those with the right to can set or end.',
    ...NOBODY,
    givenUp: TOLD,
  },
  {
    kinds: [
      'finance.draft_on_late_time',
      'finance.draft_on_project_completed',
      'finance.line_on_milestone_reached',
      'intelligence.pause_agents_of_*',
      'people.employee.handover',
      'people.handover_task_on_offboarding',
      'people.no_handover_task_without_offboarding',
      'people.time_off_ends_with_employment',
      'sales.account_on_deal_won',
      'sales.handoff_on_deal_won',
      'talent.invitation_on_moved_start',
      'talent.mapping_on_candidate_hired',
      'work.cancel_follow_ups_of_lost_deal',
    ],
    behind: 'Nobody: it follows from a change that was allowed, and sends, pays and grants nothing by itself.',
    ...NOBODY,
    givenUp: TOLD,
  },
  {
    kinds: ['WebhookWorker', 'AuditStreaming', 'MailWorker'],
    behind: 'Nobody: it delivers what was decided when it was queued.',
    ...NOBODY,
    givenUp: 'The delivery, stream or mail shows it; those who keep the endpoint are told.',
  },
  {
    kinds: ['AutomationWorker'],
    behind: 'Nobody: it runs the flows, timers and jobs above.',
    ...NOBODY,
    givenUp: TOLD,
  },
  {
    kinds: [
      'AccountingUpkeep',
      'AiRetentionUpkeep',
      'AuditSealing',
      'DataKeyUpkeep',
      'IdempotencyUpkeep',
      'KeyExpiryUpkeep',
      'LedgerUpkeep',
      'NightlyRetention',
      'NotificationRetentionUpkeep',
      'OauthUpkeep',
      'PostureUpkeep',
      'ReportRunUpkeep',
      'RetentionUpkeep',
      'RunRetentionUpkeep',
      'SignInUpkeep',
      'SlaClosing',
      'SloUpkeep',
      'SnapshotsUpkeep',
      'SpendingUpkeep',
      'StatusMeasuring',
      'TenantClosing',
    ],
    behind: 'Nobody: the platform keeps its own house.',
    ...NOBODY,
    givenUp: REPEATED,
  },
];

/** The statements about a kind. */
export function statementsAbout(kind: string): DelayedWork[] {
  const isAbout = (known: string) => (known.endsWith('*') ? kind.startsWith(known.slice(0, -1)) : known === kind);
  return DELAYED_WORK.filter(({ kinds }) => kinds.some(isAbout));
}
