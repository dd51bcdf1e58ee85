import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { customFieldResource } from './custom-field.resource.js';
import { CustomFieldsService } from './custom-fields.service.js';

@Controller(pathOf(customFieldResource))
export class CustomFieldsController extends ResourceController(customFieldResource) {
  constructor(service: CustomFieldsService) {
    super(service);
  }
}
