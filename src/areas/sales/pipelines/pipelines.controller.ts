import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { pipelineResource } from './pipeline.resource.js';
import { PipelinesService } from './pipelines.service.js';

@Controller(pathOf(pipelineResource))
export class PipelinesController extends ResourceController(pipelineResource) {
  constructor(service: PipelinesService) {
    super(service);
  }
}
