import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { paymentResource } from './payment.resource.js';
import { PaymentsService } from './payments.service.js';

@Controller(pathOf(paymentResource))
export class PaymentsController extends ResourceController(paymentResource) {
  constructor(service: PaymentsService) {
    super(service);
  }
}
