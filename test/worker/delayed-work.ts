type Proof = readonly [spec: string, title: string];

const OF_JOBS: Proof = ['test/worker/given-up.spec.ts', 'is not done once who ordered it may not any more: %s'];
const OF_NOTIFIER: Proof = [
  'test/worker/notifications.spec.ts',
  'is not told to members who may not see the record, even if they could when it was told',
];

/**
 * Which test proves that delayed work is refused once somebody's rights have gone: by the flow, timer, kind of job or
 * class of the worker that declares to ask for them again; `*` stands for any ending.
 */
export const PROOFS: Readonly<Record<string, Proof>> = {
  'core.membership.transfer': OF_JOBS,
  'core.retention': OF_JOBS,
  'webhook.recovery': OF_JOBS,
  'talent.mapping.step_due': [
    'test/e2e/admin/mapping-promises.spec.ts',
    'is asked again: a member who has been demoted since promises nothing',
  ],
  'sales.handoff.execute': ['test/worker/sales-handoff.spec.ts', 'fails if whoever accepted it may not any more'],
  'reports.report.due': ['test/worker/reports.spec.ts', 'is paused with the reason %s and an event'],
  'reports.run': ['test/worker/reports.spec.ts', 'fails if the requester has lost the permission'],
  'integrations.import': ['test/worker/imports.spec.ts', 'fails, and says so, when the requester has lost the right'],
  'exports.export': ['test/worker/exports.spec.ts', 'fails, and says so, when the requester has lost the right'],
  'data_export.archive': [
    'test/worker/data-exports.spec.ts',
    'fails, and says so, when the requester has lost the right; it can be made again',
  ],
  'exports.schedule.due': ['test/worker/exports.spec.ts', 'is paused with the reason %s'],
  'home.notifications.*': OF_NOTIFIER,
  'core.mail.undelivered': OF_NOTIFIER,
  DueUpkeep: OF_NOTIFIER,
  DigestUpkeep: [
    'test/worker/daily-mails.spec.ts',
    'lists what is unread since the last one, and nothing that may no longer be seen',
  ],
  AiWorker: [
    'test/worker/ai-scheduling.spec.ts',
    'is rejected when the requester has lost the permission or cannot read a target',
  ],
};
