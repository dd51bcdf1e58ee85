import { Injectable } from '@nestjs/common';
import { isClosed } from '#libs/access/limits.js';
import { requireForSure } from '#libs/auth/current-principal.js';
import { daySpan } from '#libs/kernel/day-span.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { onePage } from '#libs/resource/lists/page-of-all.js';
import { type Resource, ResourceRegistry } from '#libs/resource/resource-registry.js';
import { MOST_DAYS, type TimeInState, type TimeInStateQuery } from './time-in-state.dto.js';
import { TimeInStateRepository } from './time-in-state.repository.js';

/** How long records stay in their states, measured from their state changes. */
@Injectable()
export class TimeInStateService {
  constructor(
    private readonly repository: TimeInStateRepository,
    private readonly registry: ResourceRegistry,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 403 without the permission to read records of the type. */
  async measure({ object, ...days }: TimeInStateQuery): Promise<TimeInState> {
    const span = daySpan(days, this.clock.now(), MOST_DAYS);
    const types = object === undefined ? this.readable() : [await this.admitted(object)];
    return { ...span, ...onePage(await this.repository.measure(types, span.from, span.to)) };
  }

  private readable(): Resource[] {
    const everything = this.registry.everything();
    return everything.filter(({ definition }) => !isClosed(definition, definition.permissions.read));
  }

  private async admitted(object: string): Promise<Resource> {
    const resource = this.registry.ofType(object);
    if (!resource)
      throw Problem.validation([
        { parameter: 'object', code: 'invalid_value', detail: 'There are no records of this type.' },
      ]);
    await requireForSure(resource.definition.permissions.read, { object });
    return resource;
  }
}
