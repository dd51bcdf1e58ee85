import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { scorecardResource } from './scorecard.resource.js';
import { ScorecardsService } from './scorecards.service.js';

@Controller(pathOf(scorecardResource))
export class ScorecardsController extends ResourceController(scorecardResource) {
  constructor(service: ScorecardsService) {
    super(service);
  }
}
