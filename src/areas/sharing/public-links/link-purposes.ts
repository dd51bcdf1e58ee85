import type { Permission } from '#libs/auth/permissions.js';

interface PurposeFacts {
  /** Type key of the records that it opens. */
  object: string;
  /** What whoever creates or revokes such a link needs on the record. */
  permission: Permission;
  /** Path of the page; the token follows it. */
  path: string;
  /** Default lifetime in days. */
  days: number;
  /** Completes "`key` ..." in the description of the purpose. */
  does: string;
}

/** All purposes of public links. The area of the record serves its purpose: see `PublicLinksService.serve`. */
export const LINK_PURPOSES = {
  invoice: {
    object: 'finance.invoice',
    permission: 'invoices:send',
    path: '/api/public/invoices',
    days: 90,
    does: 'shows an issued invoice',
  },
  milestone: {
    object: 'work.milestone',
    permission: 'milestones:write',
    path: '/api/public/milestones',
    days: 90,
    does: 'lets the customer accept a reached milestone',
  },
  proposal: {
    object: 'proposals.proposal',
    permission: 'proposals:send',
    path: '/api/public/proposals',
    days: 90,
    does: 'lets the customer accept or decline a proposal',
  },
} as const satisfies Record<string, PurposeFacts>;

export type LinkPurpose = keyof typeof LINK_PURPOSES;

export const PURPOSES = Object.keys(LINK_PURPOSES) as LinkPurpose[];

/** Each permission that suffices for links of some purpose. */
export const LINK_PERMISSIONS: readonly Permission[] = [
  ...new Set(Object.values<PurposeFacts>(LINK_PURPOSES).map(({ permission }) => permission)),
];
