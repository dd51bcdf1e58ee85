import { addFields, flag, id, instant, oneOf } from '#libs/http/field.js';
import { filter, type ListOptions, listQuery } from '#libs/resource/lists/list-query.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { VISIBILITIES, type Workspace, workspaces } from './workspace.js';

/** A new workspace as sent by callers. */
export type NewWorkspace = Pick<Workspace, 'name'> & Partial<WorkspaceFields & Pick<Workspace, 'key'>>;

/** Changes of a workspace as sent by callers. */
export type WorkspacePatch = Partial<Pick<Workspace, 'name'> & WorkspaceFields> & { archive?: boolean };

type WorkspaceFields = Pick<Workspace, 'description' | 'parentId' | 'visibility' | 'defaultRoleIds'> & {
  leadId: string;
};

addFields(workspaces.update, [
  [
    'archive',
    {
      kind: flag(),
      description:
        'True archives the workspace, false restores it. The default workspace and workspaces with children cannot be archived.',
      optional: true,
    },
  ],
]);

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
  ['includeArchived', { kind: flag(), description: 'True to list archived workspaces too.', optional: true }],
]);
export const WorkspacePage = pageOf(workspaces.view);
