import { Field, instant, listOf, nested, oneOf } from '#libs/http/field.js';
import { AnnouncedWindow } from '#libs/maintenance/announced-window.js';
import { COMPONENTS, type Component, STATES, type State } from './status-rules.js';

/** Announced maintenance is shown this long before it starts. */
export const DAYS_AHEAD = 90;
export const MAX_WINDOWS = 100;

export class ComponentStatus {
  @Field(oneOf(COMPONENTS), {
    description:
      'Part of the platform. `worker` does all background work, `webhooks` turns events into deliveries, `audit` seals new entries of audit logs. `mail` is only listed if the installation sends mail.',
    example: 'webhooks',
  })
  key!: Component;

  @Field(oneOf(STATES), {
    description: '`degraded`: slow or late, nothing is lost. `outage`: does not work at the moment.',
    example: 'operational',
  })
  status!: State;
}

export class PlatformStatus {
  @Field(oneOf(STATES), {
    description: '`outage` if the API or the database is out, `degraded` if any component is not operational.',
    example: 'operational',
  })
  status!: State;

  @Field(listOf(nested(ComponentStatus), { max: COMPONENTS.length }), { description: 'The parts of the platform.' })
  components!: ComponentStatus[];

  @Field(listOf(nested(AnnouncedWindow), { max: MAX_WINDOWS }), {
    description: `Announced maintenance of the platform, current and within ${DAYS_AHEAD} days, by start. During an outage of the database, as last read.`,
    example: [],
  })
  maintenance!: AnnouncedWindow[];

  @Field(instant(), { description: 'Time of measurement.' })
  updatedAt!: string;
}
