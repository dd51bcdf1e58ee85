import { fieldsOf, oneOf } from '#libs/http/field.js';
import { approvals, ApprovalView } from '#libs/resource/gates/approval.js';
import { itemQuery, recordQuery } from '#libs/resource/lists/list-shape.js';
import { model, recordPageOf } from '#libs/resource/types/record.dto.js';

/** Filters for the caller's own approvals. */
export const MINE = ['to_decide', 'requested'] as const;

export const ApprovalPage = recordPageOf(ApprovalView);
export const ApprovalQuery = model('ApprovalListQuery', {
  mine: {
    kind: oneOf(MINE),
    description: '`to_decide` for requests that you can decide, `requested` for your own.',
    optional: true,
  },
  ...Object.fromEntries(fieldsOf(recordQuery('ApprovalOptions', approvals))),
});

export const OneApprovalQuery = itemQuery(approvals);
