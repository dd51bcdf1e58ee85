import { addressSpelling } from '#libs/kernel/domain.js';
import { EMAIL_FORM } from '#libs/http/email-field.js';
import { Field, flag, id, instant, integer, listOf, nested, oneOf, spelled, text } from '#libs/http/field.js';
import { ProblemDocument } from '#libs/http/problems/problem.dto.js';
import { MEMBER_STATUSES, type MemberStatus, WORKSPACE_ROLES, type WorkspaceRole } from '#libs/members/member.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { ActorView, ONE_PAGE, PageInfo } from '#libs/resource/types/record.dto.js';

const COUNT = { min: 0, max: 2_147_483_647 };
const email = () =>
  spelled(text({ min: 3, max: 254, pattern: /^[^\s@]+@[^\s@]+$/, form: EMAIL_FORM }), addressSpelling);

/** A member of a workspace. */
export class WorkspaceMemberPerson {
  @Field(id(), { description: 'Id of the membership.' })
  id!: string;

  @Field(text({ max: 200 }), { description: 'Name of the person.', example: 'Ana Silva' })
  name!: string;

  @Field(text({ max: 254 }), { description: 'E-mail address.', example: 'ana@acme.example' })
  email!: string;

  @Field(oneOf(MEMBER_STATUSES), { description: 'Status of the membership.', example: 'active' })
  status!: MemberStatus;
}

/** The membership of a member in a workspace. */
export class WorkspaceMemberView {
  @Field(nested(WorkspaceMemberPerson), { description: 'The member.' })
  membership!: WorkspaceMemberPerson;

  @Field(oneOf(WORKSPACE_ROLES), {
    description: '`lead` manages the workspace; `member` works in it; `guest` sees only what is shared with them.',
    example: 'member',
  })
  workspaceRole!: WorkspaceRole;

  @Field(instant(), {
    description: 'Time at which the member was added.',
    example: '2026-11-21T09:15:02.114Z',
  })
  addedAt!: string;

  @Field(nested(ActorView), { description: 'Caller who added the member.' })
  addedBy!: ActorView;

  @Field(text({ max: 210 }), {
    description: '`manual`, or the identity provider that manages it.',
    example: 'manual',
  })
  source!: string;
}

export class WorkspaceMemberPage {
  @Field(listOf(nested(WorkspaceMemberView), { max: 200 }), { description: 'The members of this page, oldest first.' })
  data!: WorkspaceMemberView[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;
}

export class WorkspaceMemberQuery extends PageQuery {
  @Field(id(), { description: 'Only members who have this role.', optional: true })
  roleId?: string;

  @Field(text({ min: 1, max: 200 }), {
    description: 'Only members with this text in their names or addresses.',
    optional: true,
  })
  q?: string;
}

/** A member to add. */
export class NewWorkspaceMember {
  @Field(id(), { description: 'Id of the membership; send this or `email`.', optional: true })
  membershipId?: string;

  @Field(email(), {
    description: 'Address of the member; send this or `membershipId`.',
    example: 'ana@acme.example',
    optional: true,
  })
  email?: string;

  @Field(oneOf(WORKSPACE_ROLES), {
    description:
      'Role of the member in the workspace. Defaults to their present role, or `member`. The first member of a workspace without a lead becomes its lead.',
    example: 'member',
    optional: true,
  })
  workspaceRole?: WorkspaceRole;
}

export class AddWorkspaceMembers extends NewWorkspaceMember {
  @Field(listOf(nested(NewWorkspaceMember), { min: 1, max: 100 }), {
    description: 'Several members, instead of or in addition to the single one.',
    optional: true,
  })
  members?: NewWorkspaceMember[];
}

export class AddedWorkspaceMember {
  @Field(flag(), { description: 'True if the member is in the workspace.', example: true })
  ok!: boolean;

  @Field(nested(WorkspaceMemberView), {
    description: 'The member in the workspace; null if the addition was refused.',
    nullable: true,
  })
  member!: WorkspaceMemberView | null;

  @Field(nested(ProblemDocument), { description: 'Reason for the refusal; null if there was none.', nullable: true })
  error!: ProblemDocument | null;
}

export class AddedWorkspaceMembers {
  @Field(listOf(nested(AddedWorkspaceMember), { max: 100 }), { description: 'One result for each, in order.' })
  data!: AddedWorkspaceMember[];

  @Field(nested(PageInfo), ONE_PAGE)
  page!: PageInfo;
}

export class RemoveWorkspaceMembersQuery {
  @Field(listOf(id(), { min: 1, max: 100, unique: true }), {
    description: 'Ids of the memberships to remove, at least one; comma-separated or as a repeated parameter.',
    optional: true,
  })
  membershipId?: string[];

  @Field(id(), {
    description: 'Membership to which a job transfers their open records of the workspace.',
    optional: true,
  })
  reassignTo?: string;
}

export class RemovedWorkspaceMembers {
  @Field(integer(COUNT), { description: 'Number of members removed.', example: 1 })
  removed!: number;

  @Field(integer(COUNT), { description: 'Number of records to be transferred.', example: 12 })
  reassigned!: number;

  @Field(listOf(id(), { max: 100 }), {
    description: 'The transfer jobs, one per member; see `/api/operations/jobs/{id}`.',
    example: [],
  })
  jobIds!: string[];
}
