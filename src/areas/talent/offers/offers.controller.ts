import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { offerResource } from './offer.resource.js';
import { OffersService } from './offers.service.js';

@Controller(pathOf(offerResource))
export class OffersController extends ResourceController(offerResource) {
  constructor(service: OffersService) {
    super(service);
  }
}
