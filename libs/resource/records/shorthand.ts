import { fieldsOf, type ModelClass } from '#libs/http/field.js';
import { bodyViolations } from '#libs/http/validation.js';
import { notWith, Problem, type Violation } from '#libs/kernel/problem.js';
import type { ResourceDefinition } from '../types/definition.js';

type Input = Record<string, unknown>;

/** The action that a patch of the state field represents. */
export interface Shorthand<A extends string> {
  /** Null if no action leads to the state. */
  action: A | null;
  /** Name of the action in refusals. */
  name: string;
  input: Input;
}

/**
 * The action that a patch of the state field represents for a row in the state `from`; null if the patch is a plain
 * edit. If several actions lead to the new state, the one that is possible from `from` is chosen.
 * @throws Problem 400 if the patch mixes an action with an edit, or contains inputs of an action without the action.
 */
export function shorthandOf<A extends string>(
  definition: Pick<ResourceDefinition<never, A>, 'stateField' | 'lifecycle' | 'inputs' | 'create' | 'directions'>,
  from: string,
  patch: Input,
): Shorthand<A> | null {
  const { stateField, lifecycle, inputs, create, directions = [] } = definition;
  if (stateField === undefined) return null;
  if (!(stateField in patch)) {
    const editable = fieldsOf(create);
    const misplaced = Object.keys(patch).filter((field) => !editable.has(field) && !directions.includes(field));
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
  if (action) requireInput(inputs[action], input);
  return { action, name: action ?? actions[0] ?? target, input };
}

/**
 * Checks the rest of a patch that represents an action against the input of the action, if it has one.
 * @throws Problem 400 for invalid values, and for fields that only edits change.
 */
export function requireInput(model: ModelClass | undefined, input: Input): void {
  const violations = model
    ? bodyViolations(model, input)
    : Object.keys(input).map((field) => ({ pointer: `/${field}`, code: 'unknown_field', detail: '' }));
  if (violations.length > 0) throw Problem.validation(violations.map(asNotWithAction));
}

function asNotWithAction(violation: Violation): Violation {
  if (violation.code !== 'unknown_field') return violation;
  return { ...violation, ...notWith('transition', 'Change this field in a separate request.') };
}

function onlyWithAction(field: string): Violation {
  return {
    pointer: `/${field}`,
    code: 'only_with_transition',
    detail: 'The field belongs to an action: send it with the state that the action leads to.',
  };
}
