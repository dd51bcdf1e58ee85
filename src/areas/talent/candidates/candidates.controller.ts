import { Body, Controller, Param, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceController } from '#libs/resource/routes/resource.controller.js';
import { candidates, MergeCandidate } from './candidate.js';
import { CandidatesService } from './candidates.service.js';

@Controller(pathOf(candidates))
export class CandidatesController extends ResourceController(candidates) {
  constructor(private readonly service: CandidatesService) {
    super(service.records);
  }

  @Route({
    id: 'talent.candidates.merge',
    summary: 'Merge a candidate into another one',
    description:
      'The target takes over all applications, and addresses and ids in other systems as far as there is room. The candidate is archived for good, with `mergedIntoId`; a new candidate with the same e-mail address is refused as a `duplicate` of the target.',
    permission: 'candidates:write',
    object: candidates.type,
    body: MergeCandidate,
    answer: candidates.view,
    record: true,
    problems: ['record_locked'],
    example: { body: { intoId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' }, answer: candidates.example },
  })
  @Post(':id/merge')
  merge(@Param('id') id: string, @Body() input: MergeCandidate) {
    return this.service.merge(id, input);
  }
}
