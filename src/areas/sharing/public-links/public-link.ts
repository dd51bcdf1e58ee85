import { VersionedRow } from '#libs/database/tenant-row.js';
import { id, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import { LINK_PURPOSES, type LinkPurpose, PURPOSES } from './link-purposes.js';

export const LINK_STATUSES = ['active', 'expired', 'revoked'] as const;
/** Maximum lifetime of a link in days. */
export const MAX_DAYS = 366;

const MAX_USES = 1_000_000;

/** SQL of the status of the row `t` at the instant `:now`. */
export const LINK_STATUS_SQL = `case when t.revoked_at is not null then 'revoked'
  when t.expires_at <= :now or t.uses >= t.max_uses then 'expired' else 'active' end`;

/** A link that gives its holder access to one record. The hash of its token is stored in the directory. */
export class PublicLink extends VersionedRow {
  @Attribute(
    oneOf(PURPOSES),
    `Purpose of the link. ${PURPOSES.map((each) => `\`${each}\` ${LINK_PURPOSES[each].does}`).join('; ')}.`,
    {
      example: 'invoice',
      once: true,
    },
  )
  purpose!: LinkPurpose;

  @ReadOnly(text({ max: 60 }), 'Type of the record that it opens.', { example: 'finance.invoice' })
  targetObject!: string;

  @Attribute(id(), 'Id of the record that it opens.', { example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30', once: true })
  targetId!: string;

  @Attribute(instant(), `Expiry time. Defaults to 90 days from now, at most ${MAX_DAYS} days from now.`, {
    example: '2027-02-19T00:00:00.000Z',
    optional: true,
    once: true,
  })
  expiresAt!: string;

  @Attribute(
    integer({ min: 1, max: MAX_USES }),
    'Maximum number of uses; null for no limit. Answers through an open page, such as an acceptance, are not counted.',
    {
      example: 20,
      nullable: true,
      once: true,
    },
  )
  maxUses!: number | null;

  @Derived(oneOf(LINK_STATUSES), '`expired` after the expiry time or after `maxUses` uses.', {
    example: 'active',
    told: false,
  })
  status?: (typeof LINK_STATUSES)[number];

  @ReadOnly(integer({ min: 0, max: 2_147_483_647 }), 'Number of uses.', { example: 3, told: false })
  uses!: number;

  @ReadOnly(instant(), 'Time at which it was last opened.', { nullable: true, told: false })
  lastUsedAt!: string | null;

  @ReadOnly(instant(), 'Time at which it was revoked.', { nullable: true })
  revokedAt!: string | null;

  @ReadOnly(nested(ActorView), 'Creator of the link.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
  })
  createdBy!: ActorView;
}

const list = {
  filters: {
    purpose: filter.plain(oneOf(PURPOSES), 'eq', 't.purpose'),
    targetId: filter.plain(id(), 'eq', 't.target_id'),
    status: filter.plain(oneOf(LINK_STATUSES), 'eq', LINK_STATUS_SQL),
  },
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
};

export const publicLinks = governedType(PublicLink, {
  type: 'core.public_link',
  noun: 'public link',
  table: 'data.public_links',
  about: { type: 't.target_object', id: 't.target_id' },
  path: '/api/settings/public-links',
  risk: 'medium',
  list,
  actions: { revoke: { from: ['active'], event: 'revoked' } },
  events: {
    created: 'A public link was created. The event does not contain its URL.',
    revoked: 'A public link was revoked.',
  },
});
