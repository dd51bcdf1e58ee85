import { Module } from '@nestjs/common';
import { InvitationLetters } from './invitation-letters.js';
import { InvitationMoves } from './invitation-moves.js';
import { InvitationOffersService } from './invitation-offers.service.js';
import { InvitationTerms } from './invitation-terms.js';
import { InvitationsRepository } from './invitations.repository.js';
import { InvitationsService } from './invitations.service.js';
import { InvitingService } from './inviting.service.js';

/** Invitations without routes, as also needed by the worker, which expires them, and by the routes for invitees. */
@Module({
  providers: [
    InvitationLetters,
    InvitationMoves,
    InvitationOffersService,
    InvitationTerms,
    InvitationsRepository,
    InvitationsService,
    InvitingService,
  ],
  exports: [InvitationOffersService, InvitationsService, InvitingService],
})
export class InvitationsRecordsModule {}
