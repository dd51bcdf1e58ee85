import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { leadResource } from './lead.resource.js';
import { LeadsService } from './leads.service.js';

@Controller(pathOf(leadResource))
export class LeadsController extends ResourceController(leadResource) {
  constructor(service: LeadsService) {
    super(service);
  }
}
