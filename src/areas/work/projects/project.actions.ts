import { Field, flag, oneOf, text } from '#libs/http/field.js';
import { HEALTH, type Health } from './project.parts.js';

const reason = () => text({ min: 1, max: 500 });

export class HoldProject {
  @Field(reason(), { description: 'Reason; kept with the move.', example: 'The customer reorganises' })
  reason!: string;
}

export class CompleteProject {
  @Field(flag(), {
    description: 'Cancel open tasks, and leave open milestones as they are. False by default.',
    optional: true,
  })
  force!: boolean;
}

export class CancelProject {
  @Field(reason(), { description: 'Reason; shown with the project.', example: 'The customer has no budget' })
  reason!: string;
}

export class SetProjectHealth {
  @Field(oneOf(HEALTH), { description: 'Health of the project.', example: 'at_risk' })
  health!: Health;

  @Field(text({ min: 1, max: 2_000 }), {
    description: 'Explanation; required unless the health is `on_track`.',
    example: 'Two tasks wait for the customer',
    optional: true,
    nullable: true,
  })
  note!: string | null;
}
