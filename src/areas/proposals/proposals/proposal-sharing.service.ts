import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { type LinkTarget, PublicLinksService } from '#src/areas/sharing/public-links/public-links.service.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { Consent } from './proposal-acceptance.js';
import { type Proposal, proposals } from './proposal.js';
import { ProposalsRepository } from './proposals.repository.js';
import { ProposalsService } from './proposals.service.js';

const { from: SHAREABLE, permission: SEND } = proposals.lifecycle.transitions.resend;

/** Access to proposals for customers, who have no user account. */
@Injectable()
export class ProposalSharingService implements LinkTarget, OnModuleInit {
  constructor(
    private readonly service: ProposalsService,
    private readonly repository: ProposalsRepository,
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

  /**
   * The newest version that was sent of the proposal of a link, which is counted as opened. The first time makes it
   * viewed.
   * @throws Problem 404.
   */
  async seen(id: string): Promise<Proposal> {
    const { records } = this.service;
    return records.unit(async (transaction) => {
      const current = await this.currentOf(id);
      let row = await records.readPlainly(current);
      if (row.status === 'sent') {
        row = await records.rows.lockPlainly(transaction, current);
        if (row.status === 'sent') row = await records.transit(transaction, row, 'view', {});
      }
      transaction.write(this.repository.countView(current));
      return row;
    });
  }

  /**
   * Accepts a proposal, once.
   * @param versionNumber that the customer has read
   * @throws Problem 400, 404, 409.
   */
  accept(id: string, versionNumber: number, consent: Consent): Promise<Proposal> {
    return this.answer(id, versionNumber, (transaction, row) =>
      this.service.records.transit(transaction, row, 'accept', { ...consent }),
    );
  }

  /** Declines a proposal, once. @throws Problem 404, 409. */
  decline(id: string, versionNumber: number, declineReason: string | null): Promise<Proposal> {
    return this.answer(id, versionNumber, (transaction, row) =>
      this.service.records.transit(transaction, row, 'decline', { declineReason }),
    );
  }

  private answer(
    id: string,
    versionNumber: number,
    act: (transaction: Transaction, row: Proposal) => Promise<Proposal>,
  ): Promise<Proposal> {
    const { records } = this.service;
    return records.unit(async (transaction) => {
      const row = await records.rows.lockPlainly(transaction, await this.currentOf(id));
      if (row.versionNumber !== versionNumber)
        throw new Problem('stale_version', 'There is a newer version of the proposal. Read it first.');
      return act(transaction, row);
    });
  }

  /** @throws Problem 404 if no version was sent. */
  private async currentOf(id: string): Promise<string> {
    const current = await this.repository.newestSent(id);
    if (current === null) throw Problem.notFound();
    return current;
  }
}
