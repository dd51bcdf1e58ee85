import { id, type Kind } from '#libs/http/field.js';
import type { Violation } from '#libs/kernel/problem.js';
import type { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { Gate, GateCondition, Scalar } from '#libs/settings/gate.model.js';

type Fields = ReadonlyMap<string, readonly Kind[]>;

/** Errors in gates beyond their format: unknown keys, and conditions that can never be evaluated. */
export function gateViolations(gates: readonly Gate[], registry: ResourceRegistry): Violation[] {
  const known = registry.gates();
  const seen = new Set<string>();
  return gates.flatMap((gate, index) => {
    const place = `/gates/${index}`;
    const fields = known.get(gate.key);
    if (!fields)
      return [violation(`${place}/key`, 'unknown_gate', `There are the gates ${[...known.keys()].join(', ')}.`)];
    const twice = seen.has(gate.key);
    seen.add(gate.key);
    return [
      ...(twice ? [violation(`${place}/key`, 'not_unique', 'There is one entry for each gate.')] : []),
      ...quorumViolations(gate, place),
      ...(gate.conditions ?? []).flatMap((condition, i) =>
        conditionViolations(condition, fields, `${place}/conditions/${i}`),
      ),
    ];
  });
}

function quorumViolations({ quorum = 1, approvers }: Gate, place: string): Violation[] {
  const { memberIds = [], roleIds = [], managerOfRequester = false } = approvers ?? {};
  const named = memberIds.length + (managerOfRequester ? 1 : 0);
  return named > 0 && roleIds.length === 0 && named < quorum
    ? [violation(`${place}/quorum`, 'out_of_range', 'There are fewer approvers than must approve.')]
    : [];
}

/**
 * A condition on an unknown field, or on a value that the field cannot have, would never be met, and the gate would be
 * silently open.
 */
function conditionViolations(condition: GateCondition, fields: Fields, place: string): Violation[] {
  const { field, op, value } = condition;
  const [head = '', ...inside] = field.split('.');
  const kinds = fields.get(head);
  if (!kinds)
    return [violation(`${place}/field`, 'unknown_field', 'Neither the record nor the action has such a field.')];
  const isList = Array.isArray(value);
  if ((op === 'in') !== isList)
    return [violation(`${place}/value`, 'invalid_type', 'The value is a list for in, and a single one otherwise.')];
  const isOrdered = ['gt', 'gte', 'lt', 'lte'].includes(op);
  if (isOrdered && typeof value !== 'number' && typeof value !== 'string')
    return [violation(`${place}/value`, 'invalid_type', `The operator ${op} compares numbers, dates and instants.`)];
  return inside.length > 0 ? [] : valueViolations([value].flat(), kinds, `${place}/value`);
}

/** Values inside objects and lists are not checked, because their kinds are unknown; except lists of ids. */
function valueViolations(values: (Scalar | null)[], given: readonly Kind[], place: string): Violation[] {
  const kinds = given.map((kind) => (isListOfIds(kind) ? id() : kind));
  if (kinds.length === 0 || kinds.some(({ model, schema: { type } }) => model || type === 'array' || type === 'object'))
    return [];
  return values.flatMap((value) => {
    const faults = kinds.map((kind) => (value === null ? [] : kind.check(value)));
    const [fault] = faults.some((each) => each.length === 0) ? [] : faults[0]!;
    return fault ? [violation(place, fault.code, `The field cannot have the value. ${fault.detail}`)] : [];
  });
}

function isListOfIds({ schema }: Kind): boolean {
  return schema['type'] === 'array' && (schema['items'] as Kind['schema'] | undefined)?.['format'] === 'uuid';
}

function violation(pointer: string, code: string, detail: string): Violation {
  return { pointer, code, detail };
}
