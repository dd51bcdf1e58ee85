import { Controller, Param, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { ResourceController } from '#libs/resource/routes/resource.controller.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { invoices } from '#src/areas/finance/finance.area.js';
import { ProposalInvoicing } from './proposal-invoicing.js';
import { proposals } from './proposal.js';
import { ProposalsService } from './proposals.service.js';

@Controller(pathOf(proposals))
export class ProposalsController extends ResourceController(proposals) {
  constructor(
    service: ProposalsService,
    private readonly invoicing: ProposalInvoicing,
  ) {
    super(service.records);
  }

  @Route({
    id: 'proposals.proposals.invoice',
    summary: 'Make a draft of an invoice for an accepted proposal',
    description:
      'The draft has the account, the deal and the accepted lines of the proposal, and names it as `proposalId`. There can be another one once that invoice is void or deleted.',
    permission: 'invoices:write',
    object: invoices.type,
    besides: [{ scope: 'proposals:read', when: 'Always.' }],
    status: 201,
    answer: invoices.view,
    record: true,
    location: pathOf(invoices),
    problems: ['not_found', 'invalid_transition', 'version_mismatch', 'source_already_billed'],
    example: { answer: invoices.example },
  })
  @Post(':id/invoice')
  invoice(@Param('id') recordId: string) {
    return this.invoicing.invoice(recordId);
  }
}
