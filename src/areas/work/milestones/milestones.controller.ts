import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { milestoneResource } from './milestone.resource.js';
import { MilestonesService } from './milestones.service.js';

@Controller(pathOf(milestoneResource))
export class MilestonesController extends ResourceController(milestoneResource) {
  constructor(service: MilestonesService) {
    super(service);
  }
}
