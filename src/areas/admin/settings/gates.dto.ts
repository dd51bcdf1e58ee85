import { Field, fieldsOf, flag, integer, listOf, nested, text } from '#libs/http/field.js';
import { keyInPath } from '#libs/http/key-in-path.js';
import { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import { model, pageOf } from '#libs/resource/types/record.dto.js';
import { completeGate, type CompleteGate, Gate, unsetGate } from '#libs/settings/gate.model.js';

const word = () => text({ max: 100 });
const version = () => integer({ min: 1, max: 2_147_483_647 });

/** What a gate holds. */
export class GateUse {
  @Field(word(), { description: 'Type of what is changed.', example: 'sales.deal' })
  object!: string;

  @Field(word(), {
    description: 'Action on it; null for several changes of the type.',
    example: 'win',
    nullable: true,
  })
  action!: string | null;
}

const { key, ...own } = Object.fromEntries(fieldsOf(Gate));

/** A gate as it holds, with where it stands. */
export const GateView = model('GateView', {
  key: key!,
  ...Object.fromEntries(Object.entries(own).map(([name, spec]) => [name, { ...spec, optional: false }])),
  isDefault: {
    kind: flag(),
    description: 'Whether the tenant has never set it, so that it is off.',
    example: false,
  },
  appliesTo: { kind: listOf(nested(GateUse), { max: 100 }), description: 'What it holds when it is on.' },
  fields: {
    kind: listOf(word(), { max: 500 }),
    description: 'What its conditions can test.',
    example: ['valueMinor', 'currency'],
  },
  waiting: {
    kind: integer({ min: 0, max: 2_147_483_647 }),
    description: 'Requests for approval that wait at it.',
    example: 2,
  },
  version: {
    kind: version(),
    description: 'Version of the settings, which all gates share; also the ETag.',
    example: 3,
  },
});

/** A gate as the API shows it. */
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
      'The request for approval that the change waits for, because it makes the gate easier to pass: the gate is as it was. Null if it is done.',
    nullable: true,
    example: null,
  },
});

/** What may change of a gate. */
export const UpdateGate = model('UpdateGate', {
  version: {
    kind: version(),
    description: 'Change it only if this is the version of the settings; otherwise 409.',
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
