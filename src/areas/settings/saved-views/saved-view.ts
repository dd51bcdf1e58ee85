import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { id, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { SHARES } from '#libs/members/sharing.js';
import { storedFilter, typeKey } from '#libs/resource/lists/stored-filter.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

export const VIEW_STATUSES = ['active', 'archived'] as const;

const field = text({ min: 1, max: 80 });

/** A saved filter, order and column selection of a list. */
export class SavedView extends VersionedRow {
  @Attribute(name(), 'Name of the view.', { example: 'Large open deals' })
  name!: string;

  @Attribute(typeKey(), 'Type of the listed records. You must have permission to read it.', {
    example: 'sales.deal',
    once: true,
  })
  recordType!: string;

  @Attribute(
    storedFilter,
    'Query parameters of the list of this type, except `sort`, `limit` and `cursor`. Replaced as a whole.',
    { example: { status: 'open', 'valueMinor[gte]': '1000000' }, optional: true },
  )
  filter!: Record<string, string>;

  @Attribute(
    listOf(text({ min: 1, max: 60 }), { max: 3, unique: true }),
    'Sort fields, with `-` for descending. Empty for the default order.',
    { example: ['-createdAt'], optional: true },
  )
  sort!: string[];

  @Attribute(
    listOf(field, { max: 50, unique: true }),
    'Fields to show, in this order; `customFields.{key}` for a custom field. If empty, the app chooses.',
    { example: ['name', 'status'], optional: true },
  )
  columns!: string[];

  @Attribute(oneOf(SHARES), 'Who else can see it; defaults to `private`.', {
    example: 'private',
    optional: true,
  })
  shared!: (typeof SHARES)[number];

  @Attribute(id(), 'Workspace with which it is shared; only for `workspace`.', { nullable: true })
  workspaceId!: string | null;

  @Derived(oneOf(VIEW_STATUSES), 'An archived view is no longer offered.', { example: 'active', told: false })
  status?: (typeof VIEW_STATUSES)[number];

  @Derived(text({ max: 120_000 }), 'Path for a GET of the list.', {
    example: '/api/v1/sales/deals?status=open&valueMinor%5Bgte%5D=1000000&sort=-createdAt',
    told: false,
  })
  path?: string;

  @ReadOnly(nested(ActorView), 'Creator.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
  })
  createdBy!: ActorView;

  /** Owner of a view: a membership, or the lineage of a service key, which survives rotation. */
  @Column('uuid', { name: 'owner_id' })
  ownerId!: string;

  @Column('timestamptz', { name: 'archived_at', nullable: true })
  archivedAt!: string | null;
}

export const savedViews = governedType(SavedView, {
  type: 'core.saved_view',
  noun: 'saved view',
  table: 'data.saved_views',
  about: { type: 't.record_type', id: 'null' },
  names: { filter: 'updated' },
  path: '/api/settings/saved-views',
  risk: 'low',
  limit: { max: 2_000, detail: 'A tenant can have at most 2000 saved views.' },
  actions: {
    archive: { from: ['active'], event: 'archived' },
    unarchive: { from: ['archived'], event: 'unarchived' },
  },
  events: {
    created: 'A list view was saved.',
    updated: 'A saved view was changed.',
    archived: 'A saved view was archived.',
    unarchived: 'A saved view was unarchived.',
    deleted: 'A saved view was deleted.',
  },
});
