import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import {
  ChangedPostureCheck,
  ChangePostureCheck,
  PostureAssessment,
  PostureCommand,
  PostureQuery,
  PostureView,
} from './posture.dto.js';
import { PostureChanges } from './posture-changes.service.js';
import { PostureService } from './posture.service.js';

@Controller('api/admin/security/posture')
export class PostureController {
  constructor(
    private readonly posture: PostureService,
    private readonly changes: PostureChanges,
  ) {}

  @Route({
    id: 'admin.security.posture.get',
    summary: 'Read the security posture',
    description:
      'Measures all security checks on the live data of the tenant. Each read is audited. Runs are stored once a day, and on request.',
    permission: 'security:read',
    query: PostureQuery,
    answer: PostureView,
    tag: 'admin security',
  })
  @Get()
  read(@Query() query: PostureQuery) {
    return this.posture.read(query);
  }

  @Route({
    id: 'admin.security.posture.run',
    summary: 'Run security checks, or acknowledge a failing one',
    description:
      'Stores the run and returns what has changed since the previous one. Checks that you do not name keep their last result.',
    permission: 'security:assess',
    body: PostureCommand,
    answer: PostureAssessment,
    problems: ['check_not_failing'],
    tag: 'admin security',
  })
  @Post()
  command(@Body() input: PostureCommand) {
    return this.posture.command(input);
  }

  @Route({
    id: 'admin.security.posture.update',
    summary: 'Change a security check for the tenant',
    description:
      'Omitted members stay unchanged. An exception ends at its `expiresAt`; until then the check gives no credit, but does not cap the score. If the tenant has enabled the gate `posture.loosen`, the following changes of a check of high or critical severity wait for approval: a new or longer exception, a lower severity, other thresholds.',
    permission: 'security:manage',
    body: ChangePostureCheck,
    answer: ChangedPostureCheck,
    problems: ['gate_denied', 'approval_pending'],
    tag: 'admin security',
  })
  @Patch()
  change(@Body() input: ChangePostureCheck) {
    return this.changes.change(input);
  }
}
