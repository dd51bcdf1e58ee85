import { Column } from 'typeorm';
import { ALPHABET } from '#libs/database/alphabet.js';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { flag, id, instant, integer, listOf, name, oneOf, text } from '#libs/http/field.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { Attribute, Derived, Mapped, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';

const VISIBILITIES = ['open', 'closed'] as const;
const STATUSES = ['active', 'archived'] as const;
/** Maximum nesting depth of workspaces. */
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

  @Attribute(id(), `Parent workspace; workspaces can be nested up to ${MAX_DEPTH} levels.`, {
    nullable: true,
  })
  parentId!: string | null;

  @Attribute(
    id(),
    'Membership of the lead, who also manages the workspace. Defaults to the member that you act for; with a service key, to the first member who joins. When the lead changes, the previous one becomes a member. Null only while the workspace has no members except guests, and for the default workspace until an owner or administrator joins.',
    { example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22', nullable: 'shown', optional: true },
  )
  leadId!: string | null;

  @Attribute(
    oneOf(VISIBILITIES),
    '`open`: visible to all members of the tenant; `closed`: visible only to its members and managers. Defaults to `open`.',
    { example: 'open', optional: true },
  )
  visibility!: (typeof VISIBILITIES)[number];

  @Mapped(
    listOf(id(), { max: 20, unique: true }),
    'Roles granted to everybody added to the workspace. Privileged roles are not allowed.',
    { example: [], optional: true },
  )
  @Column('uuid', { name: 'default_role_ids', array: true })
  defaultRoleIds!: string[];

  @ReadOnly(
    flag(),
    'True for the workspace that new members join by default and that contains records without a workspace.',
    { example: false },
  )
  isDefault!: boolean;

  @Derived(integer({ min: 0, max: 2_147_483_647 }), 'Number of members, including guests.', { example: 7 })
  memberCount?: number;

  @Derived(oneOf(STATUSES), 'An archived workspace accepts no new records.', { example: 'active' })
  status?: (typeof STATUSES)[number];

  @ReadOnly(instant(), 'Time at which it was archived.', { nullable: true })
  archivedAt!: string | null;
}

const list = {
  filters: {
    ids: filter.plain(id(), 'in', 't.id'),
    name: filter.text(200),
    parentId: filter.exact(id(), true),
    leadId: filter.member(true),
    visibility: filter.exact(oneOf(VISIBILITIES)),
    createdAt: filter.ordered(instant()),
  },
  sorts: ['name', 'createdAt', 'updatedAt'],
  defaultSort: 'name',
};

export const workspaces = governedType(Workspace, {
  type: 'core.workspace',
  noun: 'workspace',
  table: 'data.workspaces',
  path: '/api/admin/workspaces',
  risk: 'medium',
  list,
  events: {
    created: 'A workspace was created.',
    updated: 'Fields of a workspace were changed.',
    archived: 'A workspace was archived and accepts no new records.',
    unarchived: 'A workspace was restored from the archive.',
  },
});
