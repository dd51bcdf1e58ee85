import { fieldsOf, id, oneOf, text } from '#libs/http/field.js';
import { filter, type ListOptions, listQuery } from '#libs/resource/lists/list-query.js';
import { model, pageOf } from '#libs/resource/types/record.dto.js';
import { LINK_PURPOSES, LINK_STATUS_SQL, LINK_STATUSES, type PublicLink, publicLinks } from './public-link.js';

export type NewPublicLink = Pick<PublicLink, 'purpose' | 'targetId'> &
  Partial<Pick<PublicLink, 'expiresAt' | 'maxUses'>>;

export const linkList: ListOptions = {
  filters: {
    purpose: filter.plain(oneOf(LINK_PURPOSES), 'eq', 't.purpose'),
    targetId: filter.plain(id(), 'eq', 't.target_id'),
    status: filter.plain(oneOf(LINK_STATUSES), 'eq', LINK_STATUS_SQL),
  },
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
};

export const LinkQuery = listQuery('PublicLinkQuery', linkList);
export const LinkPage = pageOf(publicLinks.view);

export const LinkWithAddress = model('PublicLinkWithAddress', {
  ...Object.fromEntries(fieldsOf(publicLinks.view)),
  publicUrl: {
    kind: text({ max: 2_000 }),
    description: 'URL of the link. Shown only once.',
    example: 'https://api.acme.example/api/public/invoices/top_link_0123456789abcdefghijABCDEFGHIJ0123456789abc_0aZ9bY',
  },
});
