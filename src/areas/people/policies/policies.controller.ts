import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { policyResource } from './policy.resource.js';
import { PoliciesService } from './policies.service.js';

@Controller(pathOf(policyResource))
export class PoliciesController extends ResourceController(policyResource) {
  constructor(service: PoliciesService) {
    super(service);
  }
}
