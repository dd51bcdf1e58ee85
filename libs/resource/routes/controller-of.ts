import { Controller, Inject, type Type } from '@nestjs/common';
import { pathOf, type ResourceDefinition } from '../types/definition.js';
import { type RecordVerbs, ResourceController } from './resource.controller.js';

/** The controller of a type without custom routes. */
export function controllerOf(
  definition: { area: string; collection: string },
  service: Type<{ records: RecordVerbs }>,
): Type {
  @Controller(pathOf(definition))
  class RecordController extends ResourceController(definition as ResourceDefinition) {
    constructor(@Inject(service) { records }: { records: RecordVerbs }) {
      super(records);
    }
  }
  return RecordController;
}
