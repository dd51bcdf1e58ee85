import { Global, Module } from '@nestjs/common';
import { CallersRoles } from './callers-roles.js';
import { Grants } from './grants.js';
import { GrantsRepository } from './grants.repository.js';
import { HeldMembers } from './held-members.js';
import { Revocations } from './revocations.js';
import { MemberGifts } from './member-gifts.js';
import { MemberRecords } from './member-records.js';
import { Members } from './members.js';
import { MembersRepository } from './members.repository.js';
import { PermissionHolders } from './permission-holders.js';
import { RoleBook } from './role-book.js';
import { RoleDoor } from './role-door.js';
import { Seats } from './seats.js';
import { Sharing } from './sharing.js';
import { Transfers } from './transfers.js';
import { WorkspaceBook } from './workspace-book.js';

/** The services that change memberships. */
@Global()
@Module({
  providers: [
    CallersRoles,
    Grants,
    GrantsRepository,
    HeldMembers,
    MemberGifts,
    Revocations,
    MemberRecords,
    Members,
    MembersRepository,
    PermissionHolders,
    RoleBook,
    RoleDoor,
    Seats,
    Sharing,
    Transfers,
    WorkspaceBook,
  ],
  exports: [
    CallersRoles,
    Grants,
    HeldMembers,
    Members,
    MembersRepository,
    PermissionHolders,
    RoleBook,
    RoleDoor,
    Seats,
    Sharing,
    Transfers,
    WorkspaceBook,
  ],
})
export class MembersModule {}
