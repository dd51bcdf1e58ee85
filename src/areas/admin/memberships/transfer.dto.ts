import { Field, id, instant, integer, nested, oneOf } from '#libs/http/field.js';
import type { TransferState } from '#libs/members/transfers.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

const COUNT = { min: 0, max: 2_147_483_647 };

/** A job that gives the open records of a member to another one. */
export class OwnershipTransfer implements TransferState {
  @Field(id(), { description: 'Id of the job: the `jobId` of the change that has begun it.' })
  id!: string;

  @Field(id(), { description: 'Membership that the records belonged to.' })
  fromMembershipId!: string;

  @Field(id(), { description: 'Membership that gets them.' })
  toMembershipId!: string;

  @Field(id(), { description: 'Workspace whose records move; null for all.', nullable: true })
  workspaceId!: string | null;

  @Field(oneOf(['running', 'completed', 'failed']), {
    description:
      'failed when the worker has given it up, after ten attempts: what has moved by then stays moved, and the same change can be asked for again.',
    example: 'running',
  })
  status!: TransferState['status'];

  @Field(integer(COUNT), { description: 'Records that there were when it was asked for.', example: 131 })
  matched!: number;

  @Field(integer(COUNT), { description: 'Records that have moved.', example: 100 })
  moved!: number;

  @Field(instant(), { description: 'Time at which it was asked for.' })
  createdAt!: string;

  @Field(nested(ActorView), { description: 'Requester.' })
  createdBy!: TransferState['createdBy'];

  @Field(instant(), { description: 'Time at which it last went on.' })
  updatedAt!: string;

  @Field(instant(), { description: 'Time at which it was through; null before.', nullable: true })
  finishedAt!: string | null;
}
