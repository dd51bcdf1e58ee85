import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { projectTemplateResource } from './project-template.resource.js';
import { ProjectTemplatesService } from './project-templates.service.js';

@Controller(pathOf(projectTemplateResource))
export class ProjectTemplatesController extends ResourceController(projectTemplateResource) {
  constructor(service: ProjectTemplatesService) {
    super(service);
  }
}
