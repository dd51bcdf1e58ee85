import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { applicationResource } from './application.resource.js';
import { ApplicationsService } from './applications.service.js';

@Controller(pathOf(applicationResource))
export class ApplicationsController extends ResourceController(applicationResource) {
  constructor(service: ApplicationsService) {
    super(service);
  }
}
