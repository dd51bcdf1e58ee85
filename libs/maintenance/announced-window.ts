import { Field, id, instant, name, oneOf } from '#libs/http/field.js';

const SCOPES = ['platform', 'tenant'] as const;

/** A window as it concerns a tenant, whoever announced it. */
export class AnnouncedWindow {
  @Field(id(), { description: 'Id of the window.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e61' })
  id!: string;

  @Field(oneOf(SCOPES), { description: 'Whether it concerns all tenants, or only yours.', example: 'platform' })
  scope!: (typeof SCOPES)[number];

  @Field(name(), { description: 'What is done.', example: 'Upgrade of the database' })
  title!: string;

  @Field(instant(), { description: 'Start.' })
  startsAt!: string;

  @Field(instant(), { description: 'End.' })
  endsAt!: string;
}
