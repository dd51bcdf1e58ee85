import { Controller, Get, Param } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { InterviewClashes } from './interview.dto.js';
import { interviewResource } from './interview.resource.js';
import { InterviewsService } from './interviews.service.js';

@Controller(pathOf(interviewResource))
export class InterviewsController extends ResourceController(interviewResource) {
  constructor(private readonly interviews: InterviewsService) {
    super(interviews);
  }

  @Route({
    id: 'talent.interviews.clashes',
    summary: 'Find interviews that clash with one',
    description: 'Scheduled interviews at the same time that one of its people would have to be in too.',
    permission: 'interviews:read',
    object: interviewResource.type,
    answer: InterviewClashes,
    problems: ['not_found'],
  })
  @Get(':id/clashes')
  clashes(@Param('id') id: string) {
    return this.interviews.clashes(id);
  }
}
