import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { type LinkTarget, PublicLinksService } from '#src/areas/sharing/public-links/public-links.service.js';
import { proposals } from './proposal.js';
import { ProposalsService } from './proposals.service.js';

const { from: SHAREABLE, permission: SEND } = proposals.lifecycle.transitions.resend;

/** Access to proposals for customers, who have no user account. */
@Injectable()
export class ProposalSharingService implements LinkTarget, OnModuleInit {
  constructor(
    private readonly service: ProposalsService,
    private readonly links: PublicLinksService,
  ) {}

  onModuleInit(): void {
    this.links.serve('proposal', this);
  }

  async requireShareable(id: string, pointer: string): Promise<void> {
    const { records } = this.service;
    if (!(await records.find(id)))
      throw Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such proposal.' }]);
    const row = await records.readFor(id, SEND);
    if (!SHAREABLE.some((state) => state === row.status)) throw records.rules.refusal(row, 'resend');
  }

  async requireSharer(id: string): Promise<void> {
    await this.service.records.readFor(id, SEND);
  }
}
