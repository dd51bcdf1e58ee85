import { fieldsOf, oneOf } from '#libs/http/field.js';
import { approvals, ApprovalView } from '#libs/resource/gates/approval.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import { model, pageOf } from '#libs/resource/types/record.dto.js';

/** Filters for the caller's own approvals. */
export const MINE = ['to_decide', 'requested'] as const;

export const ApprovalPage = pageOf(ApprovalView);
export const ApprovalQuery = model('ApprovalListQuery', {
  mine: {
    kind: oneOf(MINE),
    description: '`to_decide` for requests that you can decide, `requested` for your own.',
    optional: true,
  },
  ...Object.fromEntries(fieldsOf(listQuery('ApprovalOptions', approvals.list))),
});
