import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { dealResource } from './deal.resource.js';
import { DealsService } from './deals.service.js';

@Controller(pathOf(dealResource))
export class DealsController extends ResourceController(dealResource) {
  constructor(service: DealsService) {
    super(service);
  }
}
