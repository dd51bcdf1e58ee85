import { addFields, constant, Field, flag, id, instant, integer, listOf, name, oneOf, text } from '#libs/http/field.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/list-query.js';
import { pageOf } from '#libs/resource/record.dto.js';

/** Type key of a workspace; also the beginning of its event types. */
export const WORKSPACE_TYPE = 'core.workspace';
export const VISIBILITIES = ['open', 'closed'] as const;
/** How deep workspaces can stand in each other. */
export const MAX_DEPTH = 3;

const COUNT = { min: 0, max: 2_147_483_647 };
const description = () => text({ min: 1, max: 1_000, pattern: /\S/ });
const key = () =>
  text({
    min: 1,
    max: 10,
    pattern: /^[A-Z][A-Z0-9]{0,9}$/,
    form: 'a capital letter followed by capital letters and digits',
  });
const defaultRoles = () => listOf(id(), { max: 20, unique: true });

/** A unit of the tenant. */
export class WorkspaceView {
  @Field(id(), { description: 'Id of the workspace.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b60' })
  id!: string;

  @Field(constant(WORKSPACE_TYPE), { description: 'Type of the record.', example: WORKSPACE_TYPE })
  object!: string;

  @Field(name(), { description: 'Its name.', example: 'Sales EMEA' })
  name!: string;

  @Field(key(), { description: 'Short name, once in the tenant.', example: 'EMEA', nullable: true })
  key!: string | null;

  @Field(text({ max: 1_000 }), { description: 'What it is for.', nullable: true })
  description!: string | null;

  @Field(id(), { description: `Workspace that it is part of; they stand up to ${MAX_DEPTH} deep.`, nullable: true })
  parentId!: string | null;

  @Field(id(), {
    description:
      'Membership of who leads it, who also manages it. Null only while nobody but guests is in it, and for the default one until somebody joins who runs the tenant.',
    nullable: true,
  })
  leadId!: string | null;

  @Field(oneOf(VISIBILITIES), {
    description: 'Whether all members of the tenant see that it exists, or only its own and those who manage it.',
    example: 'open',
  })
  visibility!: (typeof VISIBILITIES)[number];

  @Field(defaultRoles(), { description: 'Roles that everybody gets who is added to it.', example: [] })
  defaultRoleIds!: string[];

  @Field(flag(), {
    description: 'Whether it is the one that members join for whom none is named, and that records without one are in.',
    example: false,
  })
  isDefault!: boolean;

  @Field(integer(COUNT), { description: 'Its members, guests included.', example: 7 })
  memberCount!: number;

  @Field(oneOf(['active', 'archived']), {
    description: 'An archived workspace takes no new records.',
    example: 'active',
  })
  status!: 'active' | 'archived';

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Rises by one with each change; also the ETag.',
    example: 1,
  })
  version!: number;

  @Field(instant(), { description: 'When it was made.', example: '2026-11-21T09:15:02.114Z' })
  createdAt!: string;

  @Field(instant(), { description: 'When it last changed.', example: '2026-11-21T09:15:02.114Z' })
  updatedAt!: string;

  @Field(instant(), { description: 'When it was archived.', nullable: true })
  archivedAt!: string | null;
}

export class CreateWorkspace {
  @Field(name(), { description: 'Its name.', example: 'Sales EMEA' })
  name!: string;

  @Field(key(), { description: 'Short name, once in the tenant.', example: 'EMEA', optional: true, nullable: true })
  key?: string | null;

  @Field(description(), { description: 'What it is for.', optional: true, nullable: true })
  description?: string | null;

  @Field(id(), { description: 'Workspace that it is part of.', optional: true, nullable: true })
  parentId?: string | null;

  @Field(id(), {
    description: 'Who leads it: the member that the caller acts for if not given; for a service key who joins first.',
    optional: true,
  })
  leadId?: string;

  @Field(oneOf(VISIBILITIES), { description: 'Who sees it; open if not given.', example: 'open', optional: true })
  visibility?: (typeof VISIBILITIES)[number];

  @Field(defaultRoles(), {
    description: 'Roles that everybody gets who is added to it; none that runs the tenant.',
    example: [],
    optional: true,
  })
  defaultRoleIds?: string[];
}

export class UpdateWorkspace {
  @Field(name(), { description: 'Its name.', example: 'Sales EMEA', optional: true })
  name?: string;

  @Field(description(), { description: 'What it is for.', optional: true, nullable: true })
  description?: string | null;

  @Field(id(), { description: 'Who leads it from now on; who did is a member then.', optional: true })
  leadId?: string;

  @Field(oneOf(VISIBILITIES), { description: 'Who sees it.', example: 'closed', optional: true })
  visibility?: (typeof VISIBILITIES)[number];

  @Field(id(), { description: 'Workspace that it is part of.', optional: true, nullable: true })
  parentId?: string | null;

  @Field(defaultRoles(), {
    description: 'Roles that everybody gets who is added to it; none that runs the tenant.',
    example: [],
    optional: true,
  })
  defaultRoleIds?: string[];

  @Field(flag(), {
    description: 'Archives it, or takes it back from the archive. Not the default one, and none with others in it.',
    optional: true,
  })
  archive?: boolean;
}

export const workspaceList: ListOptions = {
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

export const WorkspaceQuery = listQuery('WorkspaceQuery', workspaceList);
addFields(WorkspaceQuery, [
  ['includeArchived', { kind: flag(), description: 'Also archived workspaces.', optional: true }],
]);
export const WorkspacePage = pageOf(WorkspaceView);
