import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { departmentResource } from './department.resource.js';
import { DepartmentsService } from './departments.service.js';

@Controller(pathOf(departmentResource))
export class DepartmentsController extends ResourceController(departmentResource) {
  constructor(service: DepartmentsService) {
    super(service);
  }
}
