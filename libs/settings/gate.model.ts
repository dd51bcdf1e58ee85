import { permissionTexts, type Permission } from '#libs/auth/permissions.js';
import { Field, flag, id, integer, listOf, nested, oneOf, text, type Kind } from '#libs/http/field.js';

/** How a condition compares a field's value with its own. */
export const CONDITION_OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'] as const;
export const GATE_EFFECTS = ['deny', 'require_approval'] as const;

const MAX_TEXT = 500;
const MAX_VALUES = 50;

/** A single value: a text, a number, or a boolean. */
export type Scalar = string | number | boolean;
export type ConditionValue = Scalar | null | Scalar[];

/** The value that a condition compares with: a single value, or a list for `in`. */
function conditionValue(): Kind {
  const isScalar = (value: unknown): boolean =>
    (typeof value === 'string' && value.length <= MAX_TEXT && value.isWellFormed() && !value.includes('\0')) ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    typeof value === 'boolean';
  return {
    schema: { type: ['string', 'number', 'boolean', 'array'], items: {} },
    check: (value) => {
      const values: unknown[] = Array.isArray(value) ? value : [value];
      return values.length <= MAX_VALUES && values.every(isScalar)
        ? []
        : [
            {
              code: 'invalid_value',
              detail: `The value is a text, a number, true, false or up to ${MAX_VALUES} of them.`,
            },
          ];
    },
    parse: () => undefined,
  };
}

/** Name of a permission. */
function permission(): Kind {
  const kind = text({ min: 1, max: 60 });
  return {
    ...kind,
    check: (value) => {
      const faults = kind.check(value);
      if (faults.length > 0 || Object.hasOwn(permissionTexts(), String(value))) return faults;
      return [{ code: 'unknown_permission', detail: 'There is no such permission.' }];
    },
  };
}

/** One condition that must be met for a gate to apply. */
export class GateCondition {
  @Field(text({ min: 1, max: 100, pattern: /^[a-z][A-Za-z0-9]*(\.[A-Za-z][A-Za-z0-9]*)*$/ }), {
    description: 'A field of the record, an input of the action or a fact of the gate; a dot leads into an object.',
    example: 'valueMinor',
  })
  field!: string;

  @Field(oneOf(CONDITION_OPERATORS), { description: 'How it is compared.', example: 'gte' })
  op!: (typeof CONDITION_OPERATORS)[number];

  @Field(conditionValue(), {
    description: 'Value for the comparison; a list for `in`.',
    example: 5000000,
    nullable: true,
  })
  value!: ConditionValue;
}

/** Who may decide. */
export class GateApprovers {
  @Field(listOf(id(), { max: 50, unique: true }), {
    description:
      'Members who may decide. If members, roles and the manager are all unset, everyone with `approvals:decide` may.',
    example: [],
    optional: true,
  })
  memberIds?: string[];

  @Field(listOf(id(), { max: 50, unique: true }), {
    description: 'Roles whose members may decide.',
    example: [],
    optional: true,
  })
  roleIds?: string[];

  @Field(flag(), {
    description:
      'Whether the requester’s manager, from the employee directory, may decide. If there is no manager and nobody else is named, owners may. Defaults to false.',
    example: false,
    optional: true,
  })
  managerOfRequester?: boolean;

  @Field(permission(), {
    description: 'A further scope that they must hold.',
    example: 'deals:close',
    optional: true,
    nullable: true,
  })
  permission?: Permission | null;
}

/** A policy check before an action: it allows, denies or requires approval. */
export class Gate {
  @Field(text({ min: 1, max: 60, pattern: /^[a-z][a-z_.]*$/ }), {
    description: 'Which gate it is.',
    example: 'deal.win',
  })
  key!: string;

  @Field(flag(), { description: 'True if the gate is in force; true by default.', example: true, optional: true })
  enabled?: boolean;

  @Field(listOf(nested(GateCondition), { max: 20 }), {
    description: 'Conditions, all of which must hold; without any the gate always applies.',
    optional: true,
    example: [{ field: 'valueMinor', op: 'gte', value: 5000000 }],
  })
  conditions?: GateCondition[];

  @Field(oneOf(GATE_EFFECTS), {
    description: 'Effect of the gate when its conditions hold.',
    example: 'require_approval',
  })
  effect!: (typeof GATE_EFFECTS)[number];

  @Field(nested(GateApprovers), { description: 'Approvers.', optional: true })
  approvers?: GateApprovers;

  @Field(integer({ min: 1, max: 5 }), {
    description: 'How many must approve; 1 if not given.',
    example: 1,
    optional: true,
  })
  quorum?: number;

  @Field(flag(), {
    description: 'Whether the requester may approve too; defaults to false.',
    example: false,
    optional: true,
  })
  allowSelfApproval?: boolean;

  @Field(integer({ min: 1, max: 8_760 }), {
    description: 'Hours after which a request that nobody has decided expires; 72 if not given.',
    example: 72,
    optional: true,
  })
  expiresInHours?: number;
}

/** A gate with all optional members filled in. */
export interface CompleteGate extends Required<Gate> {
  approvers: Required<GateApprovers>;
}

/** Adds the default values. */
export function completeGate(gate: Gate): CompleteGate {
  const { approvers, ...rest } = gate;
  return {
    enabled: true,
    conditions: [],
    quorum: 1,
    allowSelfApproval: false,
    expiresInHours: 72,
    ...rest,
    approvers: { memberIds: [], roleIds: [], managerOfRequester: false, permission: null, ...approvers },
  };
}

/** The default for a gate that the tenant has not set: off. */
export function unsetGate(key: string): Gate {
  return { key, effect: 'require_approval', enabled: false };
}
