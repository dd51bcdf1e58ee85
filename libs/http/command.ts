import type { Permission } from '#libs/auth/permissions.js';
import type { Action, Right } from '#libs/kernel/action.js';
import { notWith, type Violation } from '#libs/kernel/problem.js';
import { checkWhole, type Fault, fieldsOf, type ModelClass } from './field.js';

type Body = Record<string, unknown>;

interface Options<A extends string> {
  /** Member of the body that names the action. */
  by: string;
  /** The action of a body that names none; without it, such a body takes no action. */
  otherwise?: A | ((body: Body) => A | undefined);
  /** Further faults of the whole body, which need nothing but the body. */
  also?(body: Body, action: A | undefined): Fault[];
  /**
   * The service checks the form with {@link formViolations}, so that one answer lists its faults together with those
   * that need more than the body.
   */
  checkedBy?: 'service';
  /** Members that are changed besides the action, and the right to change them. */
  edits?: { members: readonly string[]; may: Right };
}

/**
 * A body that takes one of several actions. Members that an action names go with the actions that name them only, with
 * others they get 400 `not_with_<by>`; all other members go with every action.
 */
export interface Command<A extends string = string> extends Options<A> {
  actions: Readonly<Record<A, Action>>;
}

const commands = new WeakMap<ModelClass, Command>();

/** Declares the actions of a body. Its form and rights are then checked wherever the model is that of a body. */
export function command<A extends string>(
  model: ModelClass,
  actions: Readonly<Record<A, Action>>,
  options: Options<NoInfer<A>>,
): Command<A> {
  const declared: Command<A> = { ...options, actions };
  const fields = fieldsOf(model);
  const named = [options.by, ...membersOf(declared), ...(options.edits?.members ?? [])];
  const unknown = named.filter((member) => !fields.has(member.split('/')[0]!));
  if (unknown.length > 0) throw new Error(`${model.name} has no members ${unknown.join(', ')}.`);
  commands.set(model, declared);
  if (declared.checkedBy !== 'service') checkWhole(model, (body) => formFaults(declared, body));
  return declared;
}

/** What the declaration of a route says about the rights to a command: whoever has one of them may call it. */
export function entryOf({ actions, edits }: Command): {
  permission: Permission;
  parts: Permission[];
  withinReach: boolean;
} {
  const first = Object.values(actions).flatMap(({ may = [] }) => may[0] ?? []);
  const rights = edits ? [edits.may, ...first] : first;
  const [permission, ...parts] = [...new Set(rights.map((right) => right.permission as Permission))];
  return { permission: permission!, parts, withinReach: rights.some(({ withinReach }) => withinReach) };
}

/** The action that a body takes; undefined for none. */
export function actionIn<A extends string>({ by, otherwise }: Command<A>, body: object): A | undefined {
  const named = (body as Body)[by] as A | undefined;
  return named ?? (typeof otherwise === 'function' ? otherwise(body as Body) : otherwise);
}

/** The rights that a body of a model requires, whatever record it is about; none if the model is no command. */
export function rightsIn(model: ModelClass | undefined, body: object): Right[] {
  const declared = model && commands.get(model);
  if (!declared) return [];
  const action = actionIn(declared, body);
  const { may = [], orHolder } = (action !== undefined && declared.actions[action]) || {};
  const changes = declared.edits && changesMore(declared, body) ? [declared.edits.may] : [];
  return [...changes, ...(orHolder === undefined ? may : [])];
}

/** Whether a body changes something besides taking its action. */
export function changesMore({ edits }: Command, body: object): boolean {
  return edits?.members.some((member) => given(body, member)) ?? false;
}

/** What is wrong with the form of a command that its service checks. `place` is the pointer to a body in another one. */
export function formViolations(declared: Command, body: object, place = ''): Violation[] {
  return formFaults(declared, body).map(({ at, ...fault }) => ({ pointer: `${place}${at}`, ...fault }));
}

/** Missing members, and members of other actions. */
function formFaults(declared: Command, body: object): Fault[] {
  const action = actionIn(declared, body);
  const { needs = [], takes = [] } = action === undefined ? {} : declared.actions[action]!;
  const surplus = membersOf(declared).filter((each) => given(body, each) && ![...needs, ...takes].includes(each));
  const missing = needs.filter((each) => !given(body, each));
  return [
    ...missing.map((each) => ({ at: `/${each}`, code: 'required', detail: `Required for ${action}.` })),
    ...surplus.map((each) => ({ at: `/${each}`, ...notWith(declared.by, `Only for ${takersOf(declared, each)}.`) })),
    ...(declared.also?.(body as Body, action) ?? []),
  ];
}

function membersOf({ actions }: Command): string[] {
  const all: Action[] = Object.values(actions);
  return [...new Set(all.flatMap(({ needs = [], takes = [] }) => [...needs, ...takes]))];
}

function takersOf({ actions }: Command, member: string): string {
  const takers = Object.entries(actions).filter(([, { needs = [], takes = [] }]) =>
    [...needs, ...takes].includes(member),
  );
  return takers.map(([action]) => action).join(', ');
}

function given(body: object, member: string): boolean {
  return member.split('/').reduce<unknown>((value, name) => (value as Body | undefined)?.[name], body) !== undefined;
}
