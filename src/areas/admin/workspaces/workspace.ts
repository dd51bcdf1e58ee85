import { Column } from 'typeorm';
import { ALPHABET } from '#libs/database/alphabet.js';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { flag, id, instant, integer, listOf, name, oneOf, text } from '#libs/http/field.js';
import { Attribute, Derived, Mapped, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';

export const VISIBILITIES = ['open', 'closed'] as const;
const STATUSES = ['active', 'archived'] as const;
/** How deep workspaces can stand in each other. */
export const MAX_DEPTH = 3;

const key = text({
  min: 1,
  max: 10,
  pattern: /^[A-Z][A-Z0-9]{0,9}$/,
  form: 'a capital letter followed by capital letters and digits',
});

/** A unit of a tenant that people and records belong to. */
export class Workspace extends VersionedRow {
  @Mapped(name(), 'Name of the workspace.', { example: 'Sales EMEA' })
  @Column({ type: 'text', collation: ALPHABET })
  name!: string;

  @Attribute(key, 'Short name, unique in the tenant.', { example: 'EMEA', nullable: true, once: true })
  key!: string | null;

  @Attribute(text({ max: 1_000 }), 'Purpose of the workspace.', {
    given: text({ min: 1, max: 1_000, pattern: /\S/ }),
    nullable: true,
  })
  description!: string | null;

  @Attribute(id(), `Workspace that it is part of; workspaces stand up to ${MAX_DEPTH} deep in each other.`, {
    nullable: true,
  })
  parentId!: string | null;

  @Attribute(
    id(),
    'Membership of the lead, who also manages the workspace. A new workspace without it is led by the member that the caller acts for, or with a service key by who joins first; with another lead the one before becomes a member. Null only while nobody but guests is in it, and for the default workspace until somebody joins who runs the tenant.',
    { example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22', nullable: 'shown', optional: true },
  )
  leadId!: string | null;

  @Attribute(
    oneOf(VISIBILITIES),
    '`open`: all members of the tenant see that the workspace exists; `closed`: only its own members and its managers. `open` by default.',
    { example: 'open', optional: true },
  )
  visibility!: (typeof VISIBILITIES)[number];

  @Mapped(
    listOf(id(), { max: 20, unique: true }),
    'Roles that everybody gets who is added to the workspace; none that runs the tenant.',
    { example: [], optional: true },
  )
  @Column('uuid', { name: 'default_role_ids', array: true })
  defaultRoleIds!: string[];

  @ReadOnly(
    flag(),
    'True for the workspace that members join for whom none is named, and that holds records without one.',
    { example: false },
  )
  isDefault!: boolean;

  @Derived(integer({ min: 0, max: 2_147_483_647 }), 'Number of its members, guests included.', { example: 7 })
  memberCount?: number;

  @Derived(oneOf(STATUSES), 'An archived workspace takes no new records.', { example: 'active' })
  status?: (typeof STATUSES)[number];

  @ReadOnly(instant(), 'Time at which it was archived.', { nullable: true })
  archivedAt!: string | null;
}

export const workspaces = governedType(Workspace, {
  type: 'core.workspace',
  noun: 'workspace',
  table: 'data.workspaces',
  path: '/api/admin/workspaces',
  risk: 'medium',
  events: {
    created: 'A workspace was made.',
    updated: 'Fields of a workspace changed.',
    archived: 'A workspace was archived: it takes no new records.',
    unarchived: 'A workspace was taken back from the archive.',
  },
});
