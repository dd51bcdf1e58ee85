import { fieldsOf, oneOf } from '#libs/http/field.js';
import { approvals, ApprovalView } from '#libs/resource/gates/approval.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import { model, pageOf } from '#libs/resource/types/record.dto.js';

/** Whose approvals a list is about. */
export const MINE = ['to_decide', 'requested'] as const;

export const ApprovalPage = pageOf(ApprovalView);
export const ApprovalQuery = model('ApprovalListQuery', {
  mine: {
    kind: oneOf(MINE),
    description: '`to_decide` for the requests that the caller can decide, `requested` for their own.',
    optional: true,
  },
  ...Object.fromEntries(fieldsOf(listQuery('ApprovalOptions', approvals.list))),
});
