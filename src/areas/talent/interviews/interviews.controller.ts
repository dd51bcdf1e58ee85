import { Controller, Get, Param } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceController } from '#libs/resource/routes/resource.controller.js';
import { InterviewClashes, interviews } from './interview.js';
import { InterviewsService } from './interviews.service.js';

@Controller(pathOf(interviews))
export class InterviewsController extends ResourceController(interviews) {
  constructor(private readonly service: InterviewsService) {
    super(service.records);
  }

  @Route({
    id: 'talent.interviews.clashes',
    summary: 'Find interviews that clash with one',
    description: 'Scheduled interviews at the same time that one of its interviewers is to attend, too.',
    permission: 'interviews:read',
    object: interviews.type,
    answer: InterviewClashes,
    problems: ['not_found'],
  })
  @Get(':id/clashes')
  clashes(@Param('id') id: string) {
    return this.service.clashes(id);
  }
}
