import type { Permission } from '#libs/auth/permissions.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { Problem } from '#libs/kernel/problem.js';
import type { RecordView } from './record.dto.js';
import type { Draft, RecordRow } from './record.entity.js';
import type { StandardAction } from './standard-actions.js';
import type { Guard } from '../lists/table.js';

export type Input = Record<string, unknown>;

/** What an action decides: the fields that change, or a problem that it throws. `input` is the action's own model. */
export type ActionHandler<R> = (row: R, input: never) => Partial<R> | Promise<Partial<R>>;

/** What a caller asks for, before any row is locked. */
export interface Asked<A extends string = string> {
  /** `create`, `update` for a patch, or an action of the life cycle. */
  verb: 'create' | 'update' | A;
  /** Null for a new record. */
  id: string | null;
  input: Input;
}

/** A change that has been written in the open transaction. */
export interface Change<R> {
  /** Null for a new record. */
  before: R | null;
  after: R;
  /** Verb of its event. */
  event: string;
  /** The body of the request; empty where the change follows from another one. */
  input: Input;
}

/**
 * What a type decides about its records. Everything is optional: where a type says nothing, the kit does what it does for
 * any record. Methods that answer a promise may read; those with a transaction run inside it.
 */
export interface Decisions<
  R extends RecordRow = RecordRow,
  V extends RecordView = RecordView,
  A extends string = string,
> {
  /** What the type's own actions change besides the state. */
  readonly actions?: Partial<Record<Exclude<A, StandardAction>, ActionHandler<R>>>;
  /** Problems for the database constraints that a caller can run into, by constraint name. */
  readonly constraints?: Record<string, () => Problem>;

  /** A new record from a validated create body; the members of the body are columns if not said. */
  draft?(input: Input): Draft<R> | Promise<Draft<R>>;
  /** Number and reference of a new record that is not counted by its type; null for one that is. */
  numbering?(draft: Draft<R>): Promise<{ number: number; reference: string } | null>;
  /** A new row with what follows from its id and number, or from the body. */
  complete?(row: R, input: Input, number: number): R | Promise<R>;
  /** What a validated patch changes; its members are columns if not said. */
  edit?(row: R, patch: Input): Partial<R> | Promise<Partial<R>>;
  /** The action that a patch stands for besides the one that leads to a new state; null for none. */
  shorthand?(patch: Input, row: R): { action: A; input: Input } | null;

  /** Fields of the API that are worked out from a row. */
  derive?(row: R): Partial<V>;
  /** The state of a row where it is not what its column says. */
  stateOf?(row: R): string;
  /** Where a row stands inside its state, for types that have stages. */
  stageOf?(row: R): { stage: string };
  /** What the caller sees of a record, from what the kit would show. */
  present?(view: V, row: R): V;
  /** What is added where one record is read. */
  detail?(view: V, row: R): Promise<V>;

  /** Which records the caller may see, beyond what permissions say; null for all. */
  guard?(): Guard | null;
  /** Of {@link guard}, whose business a record is: what it leaves out is told nowhere, whatever became of the record. */
  secrecy?(): Guard | null;
  /** Whether the caller is the person that the record is about, who sees its restricted fields. */
  isAboutCaller?(row: R): boolean;
  /**
   * Whether the caller does already what naming somebody opens to these; whoever may do so for the whole tenant does, if
   * not said. `row` is null for a new record.
   */
  holdsOpened?(row: R | null, permission: Permission): boolean | Promise<boolean>;
  /** Grounds beside permissions: true where the caller needs none for an action. @throws Problem where they may not. */
  mayAct?(row: R, action: A): boolean | Promise<boolean>;

  /** Whether a gate is about a row at all. `action` is null for a row that has passed the gate. */
  isGated?(row: R, action: A | null, input: Input): boolean | Promise<boolean>;
  /** What the conditions of gates can be about besides the record's fields and the input; `action` as in {@link isGated}. */
  gateFacts?(row: R, action: A | null, input: Input): Input | Promise<Input>;

  /** Runs once before records are read or changed for a caller. */
  ready?(query?: Input): Promise<void>;
  /** Runs around what a caller asks for: to lock what comes before the row, or to ask for something else. */
  around?<T>(asked: Asked<A>, work: (input: Input) => Promise<T>): Promise<T>;
  /** Locks what comes before a row that is about to be locked, for whatever reason. */
  lockFirst?(transaction: Transaction, id: string): void | Promise<void>;
  /** Statements that fail where the caller names what they may not see, beyond the declared references. */
  visibility?(input: Input, before: Partial<R>): Statement[];
  /** Statements before a row is written: that fail where it cannot be, or write what it needs; `before` is null for a new one. */
  checks?(after: R, before: R | null): Statement[];
  /** Locks what comes before a new row of the caller, and looks at it. @throws Problem where the row cannot be added. */
  admit?(transaction: Transaction, row: R): Promise<void>;
  /** Looks at a locked row before an action is taken; answers it as it is then. @throws Problem where it cannot be taken. */
  prepare?(transaction: Transaction, row: R, action: A, input: Input): R | Promise<R>;
  /** Verb of the event of a change, where it is not the usual one. */
  eventOf?(before: R, after: R, event: string): string;
  /** Does what goes with a change; answers the row as it is then, if it has changed again. */
  saved?(transaction: Transaction, change: Change<R>): R | void | Promise<R | void>;
  /** Tells others of what a caller did, once it is written. */
  told?(view: V, event: string): Promise<void>;
}
