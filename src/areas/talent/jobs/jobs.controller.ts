import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { jobResource } from './job.resource.js';
import { JobsService } from './jobs.service.js';

@Controller(pathOf(jobResource))
export class JobsController extends ResourceController(jobResource) {
  constructor(service: JobsService) {
    super(service);
  }
}
