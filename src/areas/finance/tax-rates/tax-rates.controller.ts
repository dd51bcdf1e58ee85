import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { taxRateResource } from './tax-rate.resource.js';
import { TaxRatesService } from './tax-rates.service.js';

@Controller(pathOf(taxRateResource))
export class TaxRatesController extends ResourceController(taxRateResource) {
  constructor(service: TaxRatesService) {
    super(service);
  }
}
