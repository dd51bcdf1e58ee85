import { fieldsOf, text } from '#libs/http/field.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import { model } from '#libs/resource/types/record.dto.js';
import { type PublicLink, publicLinks } from './public-link.js';

export type NewPublicLink = Pick<PublicLink, 'purpose' | 'targetId'> &
  Partial<Pick<PublicLink, 'expiresAt' | 'maxUses'>>;

export const LinkQuery = listQuery('PublicLinkQuery', publicLinks.list!);

export const LinkWithAddress = model('PublicLinkWithAddress', {
  ...Object.fromEntries(fieldsOf(publicLinks.view)),
  publicUrl: {
    kind: text({ max: 2_000 }),
    description: 'URL of the link. Shown only once.',
    example: 'https://api.acme.example/api/public/invoices/top_link_0123456789abcdefghijABCDEFGHIJ0123456789abc_0aZ9bY',
  },
});
