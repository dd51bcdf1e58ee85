import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { taskResource } from './task.resource.js';
import { TasksService } from './tasks.service.js';

@Controller(pathOf(taskResource))
export class TasksController extends ResourceController(taskResource) {
  constructor(service: TasksService) {
    super(service);
  }
}
