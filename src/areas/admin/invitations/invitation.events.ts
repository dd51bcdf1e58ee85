import { Injectable, type OnModuleInit } from '@nestjs/common';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { INVITATION_TYPE, InvitationFacts, INVITATIONS_PATH, type InvitationView } from './invitation.dto.js';

const FACTS_EXAMPLE: InvitationFacts = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1d01',
  object: INVITATION_TYPE,
  version: 1,
  roleIds: ['00000000-0000-7000-8000-000000000004'],
  workspaceIds: [],
  invitedBy: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
  employeeId: null,
  status: 'pending',
  expiresAt: '2026-11-28T09:15:02.114Z',
  acceptedMembershipId: null,
  createdAt: '2026-11-21T09:15:02.114Z',
  updatedAt: '2026-11-21T09:15:02.114Z',
};

/** An invitation as the API shows it, for the documentation. */
export const INVITATION_EXAMPLE: InvitationView = {
  ...FACTS_EXAMPLE,
  email: 'bo@acme.example',
  message: 'Welcome aboard!',
  sentCount: 1,
  lastSentAt: '2026-11-21T09:15:04.020Z',
  mailStatus: 'sent',
};

const EVENTS = {
  created: 'Somebody was invited.',
  updated: 'What an invitation gives, or its expiry, changed.',
  resent: 'An invitation was sent again, with a new link.',
  revoked: 'An open invitation was taken back.',
  accepted: 'Somebody accepted an invitation and is a member.',
  declined: 'Somebody declined an invitation.',
  expired: 'An invitation was neither accepted nor declined in time.',
};
export type InvitationEvent = keyof typeof EVENTS;

/** Declares the events about invitations when the process starts. */
@Injectable()
export class InvitationEvents implements OnModuleInit {
  constructor(private readonly events: EventCatalogue) {}

  onModuleInit(): void {
    for (const [verb, description] of Object.entries(EVENTS))
      this.events.add({
        type: `${INVITATION_TYPE}.${verb}`,
        version: 1,
        description: `${description} Without the address.`,
        data: inlineSchemaOf(InvitationFacts),
        example: { ...FACTS_EXAMPLE },
        subjectType: INVITATION_TYPE,
        exampleUrl: `${INVITATIONS_PATH}/${FACTS_EXAMPLE.id}`,
      });
  }
}
