import { Injectable } from '@nestjs/common';
import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { projects } from './project.js';

/** Project events outside the life cycle. */
@Injectable()
export class ProjectEvents {
  constructor(registry: ResourceRegistry) {
    const { type, view: told, example } = projects;
    const events = {
      escalated: 'A project was escalated; `changes` has the severity.',
      update_requested: 'The owner of a project was asked to report its health.',
    };
    registry.declareObject({ type, told, events, example, path: pathOf(projects), hasPath: true });
  }
}
