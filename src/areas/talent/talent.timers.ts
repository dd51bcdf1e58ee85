import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { CONSENT_EXPIRES } from './candidates/candidate.forgetting.js';
import { CandidatesService } from './candidates/candidates.service.js';
import { ApplicationsService, REJECTION_DUE } from './applications/applications.service.js';
import { OFFER_EXPIRES, OffersService } from './offers/offers.service.js';

/** Timers of hiring. */
@Injectable()
export class TalentTimers implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly applications: ApplicationsService,
    private readonly candidates: CandidatesService,
    private readonly offers: OffersService,
  ) {}

  onModuleInit(): void {
    this.automations.timer({
      kind: CONSENT_EXPIRES,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => this.candidates.endConsent(id),
    });
    this.automations.timer({
      kind: REJECTION_DUE,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => this.applications.tellRejected(id),
    });
    this.automations.timer({
      kind: OFFER_EXPIRES,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => this.offers.endUnanswered(id),
    });
  }
}
