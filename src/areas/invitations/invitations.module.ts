import { Module } from '@nestjs/common';
import { InvitationsRecordsModule } from '#src/areas/access/invitations/invitations-records.module.js';
import { AuthRecordsModule } from '#src/areas/auth/auth-records.module.js';
import { PeopleRecordsModule } from '#src/areas/people/people-records.module.js';
import { InviteesController } from './invitees.controller.js';
import { InviteesRepository } from './invitees.repository.js';
import { InviteesService } from './invitees.service.js';

/** Invitations for invitees. */
@Module({
  imports: [AuthRecordsModule, InvitationsRecordsModule, PeopleRecordsModule],
  controllers: [InviteesController],
  providers: [InviteesRepository, InviteesService],
})
export class InvitationsModule {}
