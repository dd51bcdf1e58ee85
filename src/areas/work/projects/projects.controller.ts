import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { projectResource } from './project.resource.js';
import { ProjectsService } from './projects.service.js';

@Controller(pathOf(projectResource))
export class ProjectsController extends ResourceController(projectResource) {
  constructor(service: ProjectsService) {
    super(service);
  }
}
