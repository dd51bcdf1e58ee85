import { fieldsOf } from '#libs/http/field.js';
import { bodyViolations } from '#libs/http/validation.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { ResourceDefinition } from '../types/definition.js';

type Input = Record<string, unknown>;

/** The action that a patch of the state field stands for. */
export interface Shorthand<A extends string> {
  /** Null if no action leads there. */
  action: A | null;
  /** Its name in refusals. */
  name: string;
  input: Input;
}

/**
 * The action that a patch of the state field stands for, from a row in the state `from`; null for a patch that is a
 * plain edit. If several actions lead to the state, it is the one that is possible from there.
 * @throws Problem 400 if the patch mixes an action with an edit, or has an action's inputs without the action.
 */
export function shorthandOf<A extends string>(
  definition: Pick<ResourceDefinition<never, A>, 'stateField' | 'lifecycle' | 'inputs' | 'create'>,
  from: string,
  patch: Input,
): Shorthand<A> | null {
  const { stateField, lifecycle, inputs, create } = definition;
  if (stateField === undefined) return null;
  if (!(stateField in patch)) {
    const editable = fieldsOf(create);
    const misplaced = Object.keys(patch).filter((field) => !editable.has(field));
    if (misplaced.length > 0) throw Problem.validation(misplaced.map(onlyWithAction));
    return null;
  }
  const { [stateField]: state, ...input } = patch;
  const target = String(state);
  const actions = (Object.keys(lifecycle.transitions) as A[]).filter(
    (each) => lifecycle.transitions[each].to === target && !lifecycle.transitions[each].byPlatform,
  );
  const possible = actions.filter((each) => lifecycle.transitions[each].from.includes(from));
  const action = possible[0] ?? null;
  const model = action && inputs[action];
  const violations = model
    ? bodyViolations(model, input)
    : Object.keys(input).map((field) => ({ pointer: `/${field}`, code: 'unknown_field', detail: '' }));
  if (action && violations.length > 0) throw Problem.validation(violations.map(asNotWithAction));
  return { action, name: action ?? actions[0] ?? target, input };
}

function asNotWithAction(violation: Violation): Violation {
  if (violation.code !== 'unknown_field') return violation;
  return { ...violation, code: 'not_with_transition', detail: 'Change this field in a separate request.' };
}

function onlyWithAction(field: string): Violation {
  return {
    pointer: `/${field}`,
    code: 'only_with_transition',
    detail: 'The field belongs to an action: send it with the state that the action leads to.',
  };
}
