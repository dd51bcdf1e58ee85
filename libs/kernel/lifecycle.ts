import type { Action } from './action.js';
import { Problem } from './problem.js';

/** The policy check of an action: the tenant's settings determine whether it allows, denies or requires approval. */
export interface TransitionGate<S extends string = string> {
  /** E.g. `deal.win`. */
  key: string;
  /**
   * States of records that have passed the gate. In these states, the gate also applies to edits of fields that the
   * tenant's conditions test. Empty if nothing can be edited after the action.
   */
  past: readonly S[];
  /**
   * Fields whose edits the gate checks in these states, regardless of its conditions. With or without a gate of the
   * tenant, such an edit requires the permission of the action.
   */
  guards?: readonly string[];
}

/**
 * What an action does to the state. `to` is null if it does not change the state (archive, a move between stages of one
 * state). `event` is the verb of the event in the past tense.
 */
export interface Move<S extends string> {
  from: readonly S[];
  to: S | null;
  event: string;
  /**
   * Only the platform takes this action, as a consequence of another or by a timer. It has no route and is never
   * offered to callers.
   */
  byPlatform?: true;
}

/** One transition of the life cycle of a record type. */
export interface Transition<S extends string> extends Move<S> {
  permission: string;
  /** What the action does, in the imperative: `Win a deal`. */
  summary: string;
  /** What happened, as a sentence: `A deal was won.` Actions with the same event share it. */
  happened: string;
  risk?: 'low' | 'medium' | 'high';
  gate?: TransitionGate<S>;
  /** The reason is stored only in the record, not in the audit log. */
  isConfidential?: true;
  /** Neither the event nor the audit entry contains the overwritten values. */
  isErasure?: true;
}

/** The states of a type and all transitions between them, as data. */
export interface Lifecycle<S extends string = string, A extends string = string, T extends Move<S> = Transition<S>> {
  states: readonly S[];
  /** State of a new record. */
  initial: S;
  transitions: { readonly [K in A]: T };
}

/** A life cycle of which only the moves are declared: of a governed type, whose commands say the rest. */
export type Moves<S extends string = string, A extends string = string> = Lifecycle<S, A, Move<S> & Action>;

/** As {@link lifecycle}, for {@link Moves}. @throws Error for states that are unknown or cannot be reached. */
export function moves<const S extends string, const A extends string>(table: Moves<S, A>): Moves<S, A> {
  const faults = stateFaults(table);
  if (faults.length > 0) throw new Error(`A life cycle is not sound: ${faults.join('; ')}.`);
  return table;
}

/** Preserves the literal types of a table while checking its shape. */
export function lifecycle<const S extends string, const A extends string>(table: Lifecycle<S, A>): Lifecycle<S, A> {
  return table;
}

/** The life cycle of records without explicit states: active, archived or in the trash. */
export function stateless<const A extends string>(
  transitions: Record<A, Transition<'active'>>,
): Lifecycle<'active', A> {
  return { states: ['active'], initial: 'active', transitions };
}

/**
 * Checks a table at startup: every state is known and reachable, every transition has an existing permission and a
 * handler, no state has passed two gates, and no action of a caller bypasses a gate.
 * @throws Error with all faults.
 */
export function checkLifecycle(
  type: string,
  table: Lifecycle,
  known: { permissions: ReadonlySet<string>; handlers: ReadonlySet<string> },
): void {
  const faults = stateFaults(table);
  const states = new Set(table.states);
  for (const [action, transition] of Object.entries(table.transitions)) {
    if (!known.permissions.has(transition.permission))
      faults.push(`${action} needs the unknown permission ${transition.permission}`);
    if (!known.handlers.has(action)) faults.push(`${action} has no handler`);
    for (const state of transition.gate?.past ?? []) {
      if (!states.has(state)) faults.push(`the gate of ${action} names the unknown state ${state}`);
      if (passedGate(table, state)!.key !== transition.gate!.key) faults.push(`two gates have been passed in ${state}`);
    }
  }
  faults.push(...waysAround(table));
  for (const handler of known.handlers)
    if (!(handler in table.transitions)) faults.push(`the handler ${handler} belongs to no transition`);
  if (faults.length > 0) throw new Error(`The life cycle of ${type} is not sound: ${faults.join('; ')}.`);
}

function stateFaults(table: Lifecycle<string, string, Move<string>>): string[] {
  const faults: string[] = [];
  const states = new Set(table.states);
  const reached = new Set([table.initial]);
  for (let before = 0; before !== reached.size;) {
    before = reached.size;
    for (const { from, to } of Object.values(table.transitions))
      if (to !== null && from.some((state) => reached.has(state))) reached.add(to);
  }
  if (!states.has(table.initial)) faults.push(`unknown initial state ${table.initial}`);
  for (const state of states) if (!reached.has(state)) faults.push(`state ${state} cannot be reached`);
  for (const [action, { from, to }] of Object.entries(table.transitions))
    for (const state of [...from, ...(to === null ? [] : [to])])
      if (!states.has(state)) faults.push(`${action} names the unknown state ${state}`);
  return faults;
}

/** The gate that records in a state have passed; undefined if there is none. */
export function passedGate<S extends string>(table: Lifecycle<S>, state: S): TransitionGate<S> | undefined {
  return passedTransition(table, state)?.gate;
}

/** The transition with the gate that records in a state have passed; undefined if there is none. */
export function passedTransition<S extends string>(table: Lifecycle<S>, state: S): Transition<S> | undefined {
  const transitions: Transition<S>[] = Object.values(table.transitions);
  return transitions.find(({ gate }) => gate?.past.includes(state));
}

/**
 * Actions that bypass a gate. Actions of the platform are exempt, because they follow from actions that have passed
 * the gate.
 */
function* waysAround(table: Lifecycle): Generator<string> {
  for (const [action, { from, to, gate, byPlatform }] of Object.entries(table.transitions)) {
    const passed = to === null || byPlatform ? undefined : passedGate(table, to);
    if (!passed || passed.key === gate?.key) continue;
    if (from.some((state) => passedGate(table, state)?.key !== passed.key))
      yield `${action} leads past the gate ${passed.key} without it`;
  }
}

/** Names of the actions that callers can take in a state. */
export function actionsFrom<S extends string, A extends string>(
  { transitions }: Lifecycle<S, A, Move<S>>,
  state: S,
): A[] {
  return (Object.keys(transitions) as A[]).filter(
    (action) => transitions[action].from.includes(state) && !transitions[action].byPlatform,
  );
}

/** @throws Problem 409 `invalid_transition` if an action is not possible in a state. */
export function requirePossible<S extends string, A extends string>(
  table: Lifecycle<S, A, Move<S>>,
  action: A,
  state: S,
  detail?: string,
): void {
  if (!table.transitions[action].from.includes(state))
    throw invalidTransition(action, { state }, actionsFrom(table, state), detail);
}

/** The 409 `invalid_transition`. `position` is the state and, for types with stages, the stage. */
export function invalidTransition(
  action: string,
  position: { state: string; stage?: string },
  allowedActions: string[],
  detail = `The action ${action} is not possible in the state ${position.state}.`,
): Problem {
  return new Problem('invalid_transition', detail, { extensions: { ...position, action, allowedActions } });
}

/** Actions that reopen a record. */
const TAKING_UP: ReadonlySet<string> = new Set(['reopen', 'rehire', 'restore']);

/** The final states: only reopening leads out of them. */
export function closedStates({ states, initial, transitions }: Lifecycle): string[] {
  const moves = Object.entries(transitions);
  return states.filter((state) => {
    const leading = moves.filter(([, { from, to }]) => from.includes(state) && to !== null && to !== state);
    const isTakenUp = leading.some(([action]) => TAKING_UP.has(action));
    return state !== initial && (isTakenUp || leading.every(([, { byPlatform }]) => byPlatform));
  });
}
