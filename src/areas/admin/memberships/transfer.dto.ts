import { Field, id, instant, integer, nested, oneOf } from '#libs/http/field.js';
import type { TransferState } from '#libs/members/transfers.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

const COUNT = { min: 0, max: 2_147_483_647 };

/** A job that transfers the open records of one member to another. */
export class OwnershipTransfer implements TransferState {
  @Field(id(), { description: 'Id of the job, the `jobId` of the change that started it.' })
  id!: string;

  @Field(id(), { description: 'Previous owner of the records.' })
  fromMembershipId!: string;

  @Field(id(), { description: 'New owner of the records.' })
  toMembershipId!: string;

  @Field(id(), { description: 'Workspace whose records are transferred; null for all.', nullable: true })
  workspaceId!: string | null;

  @Field(oneOf(['running', 'completed', 'failed']), {
    description:
      '`failed` after ten attempts. Records moved by then stay moved, and you can request the same change again.',
    example: 'running',
  })
  status!: TransferState['status'];

  @Field(integer(COUNT), { description: 'Number of records when it was requested.', example: 131 })
  matched!: number;

  @Field(integer(COUNT), { description: 'Number of records transferred so far.', example: 100 })
  moved!: number;

  @Field(instant(), { description: 'Time of the request.' })
  createdAt!: string;

  @Field(nested(ActorView), { description: 'Requester.' })
  createdBy!: TransferState['createdBy'];

  @Field(instant(), { description: 'Time of the last progress.' })
  updatedAt!: string;

  @Field(instant(), { description: 'Time of completion; null while unfinished.', nullable: true })
  finishedAt!: string | null;
}
