import { Field, id, instant, text } from '#libs/http/field.js';

/** Type of the subject of the event; `object` of its data is the type of the record. */
export const RECORD_TYPE = 'core.record';
/** Event of a record that was deleted permanently. */
export const PURGED = `${RECORD_TYPE}.purged`;

/** What remains of a deleted record. */
export class Tombstone {
  @Field(text({ max: 60 }), { description: 'Type of the record.', example: 'sales.deal' })
  object!: string;

  @Field(id(), { description: 'Id of the record.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' })
  id!: string;

  @Field(id(), {
    description: 'The retention policy; null if the record was in the trash.',
    nullable: true,
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
  })
  policyId!: string | null;

  @Field(id(), { description: 'The run of the policy.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b23' })
  runId!: string;

  @Field(instant(), { description: 'Time of the deletion.', example: '2026-11-21T02:00:00.000Z' })
  at!: string;
}

/** Declaration of the event for the registry. */
export const PURGED_EVENTS = {
  type: RECORD_TYPE,
  told: Tombstone,
  events: { purged: 'A record was deleted permanently, by a retention policy or from the trash.' },
  example: {
    object: 'sales.deal',
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    policyId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
    runId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b23',
    at: '2026-11-21T02:00:00.000Z',
  },
  path: '/api/v1/sales/deals',
  hasPath: true,
};
