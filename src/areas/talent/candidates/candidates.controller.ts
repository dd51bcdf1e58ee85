import { Body, Controller, Param, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { CandidateView, MergeCandidate } from './candidate.dto.js';
import { candidateResource } from './candidate.resource.js';
import { CandidatesService } from './candidates.service.js';

@Controller(pathOf(candidateResource))
export class CandidatesController extends ResourceController(candidateResource) {
  constructor(private readonly candidates: CandidatesService) {
    super(candidates);
  }

  @Route({
    id: 'talent.candidates.merge',
    summary: 'Merge a candidate into another one',
    description:
      'The other one takes over all applications, addresses and ids in other systems, as far as there is room; a new candidate with the e-mail address of this one is a `duplicate` of the other one. The candidate is archived for good, with `mergedIntoId`.',
    permission: 'candidates:write',
    object: candidateResource.type,
    body: MergeCandidate,
    answer: CandidateView,
    record: true,
    problems: ['record_locked'],
    example: { body: { intoId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' }, answer: candidateResource.example },
  })
  @Post(':id/merge')
  merge(@Param('id') id: string, @Body() input: MergeCandidate) {
    return this.candidates.merge(id, input);
  }
}
