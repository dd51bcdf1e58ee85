import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { Field, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { tag } from '#libs/resource/types/envelope.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

export const TAG_STATUSES = ['active', 'archived'] as const;
/** Maximum number of records that a rename or merge can change. */
export const MAX_MOVED = 500;

export class TagUse {
  @Field(text({ max: 60 }), { description: 'Type of the records.', example: 'sales.deal' })
  object!: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Number of records with the tag.', example: 12 })
  count!: number;
}

/** A managed tag. Records refer to tags by name and can have unmanaged tags too. */
export class Tag extends VersionedRow {
  @Attribute(tag(), 'Name of the tag, unique regardless of case.', { example: 'Key account' })
  name!: string;

  @Derived(oneOf(TAG_STATUSES), 'An archived tag stays on its records and cannot be added to others.', {
    example: 'active',
    told: false,
  })
  status?: (typeof TAG_STATUSES)[number];

  @Derived(listOf(nested(TagUse), { max: 200 }), 'Uses by type, for types that you can read in the whole tenant.', {
    example: [{ object: 'sales.deal', count: 12 }],
    told: false,
  })
  uses?: TagUse[];

  @ReadOnly(nested(ActorView), 'Creator.', {
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
  limit: { max: 1_000, detail: 'A tenant can have at most 1000 managed tags.' },
  actions: {
    archive: { from: ['active'], event: 'archived' },
    unarchive: { from: ['archived'], event: 'unarchived' },
  },
  events: {
    created: 'A tag was created.',
    renamed: 'A tag was renamed, also on its records.',
    archived: 'A tag was archived.',
    unarchived: 'A tag was unarchived.',
    merged: 'A tag was merged into another one, which replaces it on its records.',
  },
});
