import { Field, id, instant, integer, text } from '#libs/http/field.js';

/** A call of an identity provider. */
export class ScimEvent {
  @Field(id(), { description: 'Configuration that called.' })
  configurationId!: string;

  @Field(text({ max: 10 }), { description: 'HTTP method.', example: 'PATCH' })
  method!: string;

  @Field(text({ max: 500 }), {
    description: 'Path, without its query.',
    example: '/api/scim/v2/Users/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
  })
  path!: string;

  @Field(integer({ min: 100, max: 599 }), { description: 'HTTP status of the response.', example: 200 })
  status!: number;

  @Field(text({ max: 500 }), {
    description: 'Name of the user or group concerned.',
    example: 'ana@acme.example',
    nullable: true,
  })
  subject!: string | null;

  @Field(text({ max: 500 }), { description: 'Error, or the part of the request that was ignored.', nullable: true })
  error!: string | null;

  @Field(instant(), { description: 'Time of the response.', example: '2026-11-21T09:15:02.114Z' })
  at!: string;

  @Field(text({ max: 128 }), { description: 'Id of the request.', example: 'req_0f0a3f6e-7a53-4d0e-9c38-3f5b5f8d7c11' })
  requestId!: string;
}
