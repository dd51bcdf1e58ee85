import { VersionedRow } from '#libs/database/tenant-row.js';
import { id, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

/** What links can be for. */
export const LINK_PURPOSES = ['invoice'] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];
export const LINK_STATUSES = ['active', 'expired', 'revoked'] as const;
/** Days for which a link is good if nothing is said, and at most. */
export const USUAL_DAYS = 90;
export const MAX_DAYS = 366;

const MAX_USES = 1_000_000;

/** SQL of the status of the row `t` at the instant `:now`. */
export const LINK_STATUS_SQL = `case when t.revoked_at is not null then 'revoked'
  when t.expires_at <= :now or t.uses >= t.max_uses then 'expired' else 'active' end`;

/** A link that opens one thing to whoever has it. What is stored of its token stands in the directory. */
export class PublicLink extends VersionedRow {
  @Attribute(oneOf(LINK_PURPOSES), 'What the link is for: `invoice` shows an issued invoice.', {
    example: 'invoice',
    once: true,
  })
  purpose!: LinkPurpose;

  @ReadOnly(text({ max: 60 }), 'Type of what it opens.', { example: 'finance.invoice' })
  targetObject!: string;

  @Attribute(id(), 'Id of what it opens.', { example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30', once: true })
  targetId!: string;

  @Attribute(
    instant(),
    `Time until which the link is good; ${USUAL_DAYS} days from now if you send none, at most ${MAX_DAYS} days from now.`,
    { example: '2027-02-19T00:00:00.000Z', optional: true, once: true },
  )
  expiresAt!: string;

  @Attribute(integer({ min: 1, max: MAX_USES }), 'How often it can be opened; null for no limit.', {
    example: 20,
    nullable: true,
    once: true,
  })
  maxUses!: number | null;

  @Derived(oneOf(LINK_STATUSES), '`expired` after its time or when it has been opened `maxUses` times.', {
    example: 'active',
    told: false,
  })
  status?: (typeof LINK_STATUSES)[number];

  @ReadOnly(integer({ min: 0, max: 2_147_483_647 }), 'How often it has been opened.', { example: 3, told: false })
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

export const publicLinks = governedType(PublicLink, {
  type: 'core.public_link',
  noun: 'public link',
  table: 'data.public_links',
  path: '/api/settings/public-links',
  risk: 'medium',
  events: {
    created: 'A public link was made. Never with its address.',
    revoked: 'A public link was revoked.',
  },
});
