import { addFields, flag } from '#libs/http/field.js';
import { listQuery } from '#libs/resource/lists/list-query.js';
import { type Workspace, workspaces } from './workspace.js';

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

export const WorkspaceQuery = listQuery('WorkspaceQuery', workspaces.list!);
addFields(WorkspaceQuery, [
  ['includeArchived', { kind: flag(), description: 'True to list archived workspaces too.', optional: true }],
]);
