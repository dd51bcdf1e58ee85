import { constant, Field, flag, id, instant, integer, nested, text } from '#libs/http/field.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';

/** Type key of the tenant's AI work as a whole, and prefix of its event types. */
export const AUTOMATION_TYPE = 'ai.automation';
/** Path in the API of the resource that shows whether AI work is paused. */
export const AUTOMATION_PATH = '/api/ai/overview';

const reason = () => text({ min: 1, max: 1_000, pattern: /\S/ });

/** Why AI work is paused or resumed. */
export class SwitchAutomation {
  @Field(reason(), { description: 'Why; it stands in the audit log.', example: 'Unexpected mails to customers' })
  reason!: string;
}

/** Whether AI work is paused. */
export class AutomationView {
  @Field(id(), { description: 'Id of the tenant.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b01' })
  id!: string;

  @Field(constant(AUTOMATION_TYPE), { description: 'Type of the record.', example: AUTOMATION_TYPE })
  object!: string;

  @Field(integer({ min: 0, max: 2_147_483_647 }), {
    description: 'Increases by one with each pause and each resumption.',
    example: 1,
  })
  version!: number;

  @Field(flag(), { description: 'True while AI work is paused.', example: true })
  isPaused!: boolean;

  @Field(reason(), {
    description: 'Why it is paused; null while it is not.',
    nullable: true,
    example: 'Unexpected mails to customers',
  })
  reason!: string | null;

  @Field(instant(), { description: 'Time at which it was last paused or resumed; null if never.', nullable: true })
  changedAt!: string | null;

  @Field(nested(ActorView), { description: 'Last one to pause or resume it.', nullable: true })
  changedBy!: ActorStamp | null;
}

/** For the documentation. */
export const AUTOMATION_EXAMPLE = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b01',
  object: AUTOMATION_TYPE,
  version: 1,
  isPaused: true,
  reason: 'Unexpected mails to customers',
  changedAt: '2026-11-21T09:15:02.114Z',
  changedBy: { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Back office' },
};
