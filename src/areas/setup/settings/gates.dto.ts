import { Field, fieldsOf, flag, integer, listOf, nested, text } from '#libs/http/field.js';
import { keyInPath } from '#libs/http/key-in-path.js';
import { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import { model, pageOf } from '#libs/resource/types/record.dto.js';
import { completeGate, type CompleteGate, Gate, unsetGate } from '#libs/settings/gate.model.js';

const word = () => text({ max: 100 });
const version = () => integer({ min: 1, max: 2_147_483_647 });

/** An action that a gate holds. */
export class GateUse {
  @Field(word(), { description: 'Type of the record.', example: 'sales.deal' })
  object!: string;

  @Field(word(), {
    description: 'Action on the record; null if the gate holds several changes of the type.',
    example: 'win',
    nullable: true,
  })
  action!: string | null;
}

const { key, ...own } = Object.fromEntries(fieldsOf(Gate));

/** A gate with its current rules, its actions and its pending requests. */
export const GateView = model('GateView', {
  key: key!,
  ...Object.fromEntries(Object.entries(own).map(([name, spec]) => [name, { ...spec, optional: false }])),
  isDefault: {
    kind: flag(),
    description: 'Whether the tenant has not set the gate, so it is off.',
    example: false,
  },
  appliesTo: { kind: listOf(nested(GateUse), { max: 100 }), description: 'Actions that the gate holds when it is on.' },
  fields: {
    kind: listOf(word(), { max: 500 }),
    description: 'Fields that its conditions can test.',
    example: ['valueMinor', 'currency'],
  },
  waiting: {
    kind: integer({ min: 0, max: 2_147_483_647 }),
    description: 'Number of pending requests for approval.',
    example: 2,
  },
  version: {
    kind: version(),
    description: 'Version of the settings, shared by all gates; also the ETag.',
    example: 3,
  },
});

/** A gate in responses of the API. */
export interface ShownGate extends CompleteGate {
  isDefault: boolean;
  appliesTo: GateUse[];
  fields: string[];
  waiting: number;
  version: number;
}

export const GatePage = pageOf(GateView);

export const ChangedGate = model('ChangedGate', {
  ...Object.fromEntries(fieldsOf(GateView)),
  pendingApproval: {
    kind: nested(PendingApproval),
    description:
      'The request for approval, if the change makes the gate easier to pass and has not been applied yet. Null if the change was applied.',
    nullable: true,
    example: null,
  },
});

/** Changes to a gate. */
export const UpdateGate = model('UpdateGate', {
  version: {
    kind: version(),
    description: 'Expected version of the settings; 409 if it differs.',
    optional: true,
  },
  ...Object.fromEntries(Object.entries(own).map(([name, spec]) => [name, { ...spec, optional: true }])),
});

export const GATE_PARAMS = { id: { kind: keyInPath, description: 'Key of the gate, such as `deal.win`.' } };

export const GATE_EXAMPLE: ShownGate = {
  ...completeGate({ ...unsetGate('deal.win'), enabled: true }),
  conditions: [{ field: 'valueMinor', op: 'gte', value: 5_000_000 }],
  isDefault: false,
  appliesTo: [{ object: 'sales.deal', action: 'win' }],
  fields: ['valueMinor', 'currency'],
  waiting: 2,
  version: 3,
};
