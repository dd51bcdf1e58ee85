import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { Field, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { tag } from '#libs/resource/types/envelope.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

export const TAG_STATUSES = ['active', 'archived'] as const;
/** Managed tags of one tenant. */
export const MAX_TAGS = 1_000;
/** Records that a rename or a merge may change at once. */
export const MAX_MOVED = 500;

export class TagUse {
  @Field(text({ max: 60 }), { description: 'Type of the records.', example: 'sales.deal' })
  object!: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Records that carry the tag.', example: 12 })
  count!: number;
}

/** A tag that the tenant manages. Records carry tags by name, also such as nobody manages. */
export class Tag extends VersionedRow {
  @Attribute(tag(), 'The tag. Case makes no difference between two.', { example: 'Key account' })
  name!: string;

  @Derived(oneOf(TAG_STATUSES), 'An archived tag stays on records that carry it, and no other gets it.', {
    example: 'active',
    told: false,
  })
  status?: (typeof TAG_STATUSES)[number];

  @Derived(listOf(nested(TagUse), { max: 200 }), 'Uses by type, of types that you can read throughout the tenant.', {
    example: [{ object: 'sales.deal', count: 12 }],
    told: false,
  })
  uses?: TagUse[];

  @ReadOnly(nested(ActorView), 'Who made it.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
  })
  createdBy!: ActorView;

  @Column('timestamptz', { name: 'archived_at', nullable: true })
  archivedAt!: string | null;
}

export const tags = governedType(Tag, {
  type: 'core.tag',
  noun: 'tag',
  table: 'data.tags',
  path: '/api/settings/tags',
  risk: 'low',
  events: {
    created: 'A tag is managed from now on.',
    renamed: 'A tag was renamed, and with it on the records that carry it.',
    archived: 'A tag was put into the archive.',
    unarchived: 'A tag was brought back from the archive.',
    merged: 'A tag was merged into another one, which the records carry in its place.',
  },
});
