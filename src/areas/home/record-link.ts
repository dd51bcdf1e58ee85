import { Field, id, text } from '#libs/http/field.js';

/** A record with what a list of links shows of it. */
export class RecordLink {
  @Field(text({ max: 60 }), { description: 'Type of the record.', example: 'sales.deal' })
  object!: string;

  @Field(id(), { description: 'Id of the record.' })
  id!: string;

  @Field(text({ max: 40 }), { description: 'Its reference.', example: 'DEAL-000124' })
  reference!: string;

  @Field(text({ max: 200 }), { description: 'Its name.', example: 'Acme renewal' })
  name!: string;

  @Field(text({ max: 300 }), {
    description: 'Its path in the API.',
    example: '/api/v1/sales/deals/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
  })
  url!: string;
}
