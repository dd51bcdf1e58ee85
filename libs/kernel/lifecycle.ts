import { Problem } from './problem.js';

/** The policy check in front of an action: as the tenant's settings say it lets pass, denies or asks for approval. */
export interface TransitionGate<S extends string = string> {
  /** E.g. `deal.win`. */
  key: string;
  /**
   * States of records that have passed it. What would have been asked before the action is asked after it: an edit there
   * that changes what the tenant's conditions are about meets the gate. Empty where the action leaves nothing to edit.
   */
  past: readonly S[];
  /** Fields whose change there meets the gate whatever its conditions are about. */
  guards?: readonly string[];
}

/**
 * One edge of a life cycle. `to` is null when the action leaves the state as it is (archive, a move between stages of
 * one state). `event` is the verb of the event in the past tense.
 */
export interface Transition<S extends string> {
  from: readonly S[];
  to: S | null;
  permission: string;
  event: string;
  /** What the action does, as an order: `Win a deal`. */
  summary: string;
  /** What has happened when the event is emitted, as a sentence: `A deal was won.` Actions with one event share it. */
  happened: string;
  risk?: 'low' | 'medium' | 'high';
  gate?: TransitionGate<S>;
  /** Its reason stands in the record alone, and not in the audit log. */
  isConfidential?: true;
  /** What it overwrites is forgotten: neither its event nor the audit entry has it. */
  isErasure?: true;
  /** Only the platform takes it, as a consequence or when its time has come: it has no route and is never offered. */
  byPlatform?: true;
}

/** The states of a type and every move between them, as data. */
export interface Lifecycle<S extends string = string, A extends string = string> {
  states: readonly S[];
  /** State of a new record. */
  initial: S;
  transitions: { readonly [K in A]: Transition<S> };
}

/** Keeps the literal types of a table while checking its shape. */
export function lifecycle<const S extends string, const A extends string>(table: Lifecycle<S, A>): Lifecycle<S, A> {
  return table;
}

/** The life cycle of records without states of their own: they are there, in the archive or in the trash. */
export function stateless<const A extends string>(
  transitions: Record<A, Transition<'active'>>,
): Lifecycle<'active', A> {
  return { states: ['active'], initial: 'active', transitions };
}

/**
 * Checks a table at start: every state is known and can be reached, every transition has a permission that exists and a
 * handler, nothing has passed two gates, and no action of a caller leads past a gate without meeting it.
 * @throws Error naming everything that is wrong.
 */
export function checkLifecycle(
  type: string,
  table: Lifecycle,
  known: { permissions: ReadonlySet<string>; handlers: ReadonlySet<string> },
): void {
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
  for (const [action, transition] of Object.entries(table.transitions)) {
    for (const state of [...transition.from, ...(transition.to === null ? [] : [transition.to])])
      if (!states.has(state)) faults.push(`${action} names the unknown state ${state}`);
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

/** The gate that records in a state have passed; undefined where there is none. */
export function passedGate<S extends string>(table: Lifecycle<S>, state: S): TransitionGate<S> | undefined {
  const transitions: Transition<S>[] = Object.values(table.transitions);
  return transitions.find(({ gate }) => gate?.past.includes(state))?.gate;
}

/** Actions that take a record past a gate which they do not name. What the platform does follows from what has met it. */
function* waysAround(table: Lifecycle): Generator<string> {
  for (const [action, { from, to, gate, byPlatform }] of Object.entries(table.transitions)) {
    const passed = to === null || byPlatform ? undefined : passedGate(table, to);
    if (!passed || passed.key === gate?.key) continue;
    if (from.some((state) => passedGate(table, state)?.key !== passed.key))
      yield `${action} leads past the gate ${passed.key} without it`;
  }
}

/** Names of the actions that a caller may take in a state. */
export function actionsFrom<S extends string, A extends string>(table: Lifecycle<S, A>, state: S): A[] {
  const { transitions } = table;
  return (Object.keys(transitions) as A[]).filter(
    (action) => transitions[action].from.includes(state) && !transitions[action].byPlatform,
  );
}

/** 409 `invalid_transition`; `position` is the state, and the stage where the type has stages. */
export function invalidTransition(
  action: string,
  position: { state: string; stage?: string },
  allowedActions: string[],
  detail = `The action ${action} is not possible in the state ${position.state}.`,
): Problem {
  return new Problem('invalid_transition', detail, { extensions: { ...position, action, allowedActions } });
}

/** Actions that take up again what was over. */
const TAKING_UP: ReadonlySet<string> = new Set(['reopen', 'rehire', 'restore']);

/** The states in which a record is over: nothing leads from them but what takes it up again. */
export function closedStates({ states, initial, transitions }: Lifecycle): string[] {
  const moves = Object.entries(transitions);
  return states.filter((state) => {
    const leading = moves.filter(([, { from, to }]) => from.includes(state) && to !== null && to !== state);
    const isTakenUp = leading.some(([action]) => TAKING_UP.has(action));
    return state !== initial && (isTakenUp || leading.every(([, { byPlatform }]) => byPlatform));
  });
}
