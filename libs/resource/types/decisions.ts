import type { Permission } from '#libs/auth/permissions.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { Problem } from '#libs/kernel/problem.js';
import type { RecordView } from './record.dto.js';
import type { Draft, RecordRow } from './record.entity.js';
import type { StandardAction } from './standard-actions.js';
import type { Guard } from '../lists/table.js';

export type Input = Record<string, unknown>;

/** Decides an action: returns the fields that change, or throws a problem. `input` is the action's own model. */
export type ActionHandler<R> = (row: R, input: never) => Partial<R> | Promise<Partial<R>>;

/** A caller's request, before any row is locked. */
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
  /** The body of the request; empty if the change is a consequence of another one. */
  input: Input;
}

/** How the gates of a type see its records. `action` is null for a row that has already passed the gate. */
export interface Gating<R, A extends string = string> {
  /** Whether a gate can apply to a row; always by default. */
  applies?(row: R, action: A | null, input: Input): boolean | Promise<boolean>;
  /** Facts that gate conditions can test besides the record's fields and the input. */
  facts?(row: R, action: A | null, input: Input): Input | Promise<Input>;
}

/** Numbers of new records that do not come from the series of their type. */
export interface NumberSource<R extends RecordRow> {
  /** Number and reference of a new record; null for those of the series. */
  numberOf(draft: Draft<R>): Promise<{ number: number; reference: string } | null>;
}

/**
 * A type's decisions about its records. All are optional; the kit has defaults. Methods that return a promise may
 * read; those with a transaction run inside it.
 */
export interface Decisions<
  R extends RecordRow = RecordRow,
  V extends RecordView = RecordView,
  A extends string = string,
> {
  /** What the type's own actions change in addition to the state. */
  readonly actions?: Partial<Record<Exclude<A, StandardAction>, ActionHandler<R>>>;
  /** Problems for the database constraints that a caller can violate, by constraint name. */
  readonly constraints?: Record<string, () => Problem>;
  readonly gating?: Gating<R, A>;

  /** A new record from a validated create body; by default the members of the body are columns. */
  draft?(input: Input): Draft<R> | Promise<Draft<R>>;
  /** Adds to a new row what follows from its id, its number or the body. */
  complete?(row: R, input: Input, number: number): R | Promise<R>;
  /** The changes of a validated patch; by default its members are columns. */
  edit?(row: R, patch: Input): Partial<R> | Promise<Partial<R>>;
  /** The action that a patch represents, other than a state change; null for none. */
  shorthand?(patch: Input, row: R): { action: A; input: Input } | null | Promise<{ action: A; input: Input } | null>;

  /** Fields of the API that are computed from a row. */
  derive?(row: R): Partial<V>;
  /** The state of a row, if it differs from its column. */
  stateOf?(row: R): string;
  /** Filters the view that the kit would show the caller. */
  present?(view: V, row: R): V;
  /** Adds to the response of a single record. */
  detail?(view: V, row: R): Promise<V>;

  /** Limits the records that the caller may see, in addition to permissions; null for no further limit. */
  guard?(): Guard | null;
  /**
   * The part of {@link guard} that concerns confidentiality: no response mentions the records that it excludes, even
   * after deletion.
   */
  secrecy?(): Guard | null;
  /** Whether the record is about the caller. If so, they see its restricted fields. */
  isAboutCaller?(row: R): boolean;
  /**
   * Whether the caller already has the access that a reference would give to others. Defaults to having the permission
   * for the whole tenant. `row` is null for a new record.
   */
  holdsOpened?(row: R | null, permission: Permission): boolean | Promise<boolean>;
  /**
   * Additional rules: true if the caller needs no permission for an action.
   * @throws Problem if they may not take it.
   */
  mayAct?(row: R, action: A): boolean | Promise<boolean>;

  /** Runs once before records are read or changed for a caller. */
  ready?(query?: Input): Promise<void>;
  /** Wraps a caller's request: can take locks before the row's lock, or change the request. */
  around?<T>(asked: Asked<A>, work: (input: Input) => Promise<T>): Promise<T>;
  /** Takes locks that must precede the lock of a row. */
  lockFirst?(transaction: Transaction, id: string): void | Promise<void>;
  /**
   * Statements that fail if the caller refers to something that they may not see, in addition to the declared
   * references.
   */
  visibility?(input: Input, before: Partial<R>): Statement[];
  /**
   * Statements that run before a row is written. They fail if the row is not allowed, or write what it needs. `before`
   * is null for a new row.
   */
  checks?(after: R, before: R | null): Statement[];
  /**
   * Takes locks that must precede a caller's new row, and checks the row.
   * @throws Problem if the row cannot be added.
   */
  admit?(transaction: Transaction, row: R): Promise<void>;
  /**
   * Checks a locked row before an action. Returns the row, which it may have changed.
   * @throws Problem if the action cannot be taken.
   */
  prepare?(transaction: Transaction, row: R, action: A, input: Input): R | Promise<R>;
  /** Writes dependent data of a change. Returns the row if it has changed again. */
  saved?(transaction: Transaction, change: Change<R>): R | void | Promise<R | void>;
  /** The values that an anonymised record needs in place of those that its kinds would get. */
  erased?(row: R): Partial<R>;
  /** Notifies others of a caller's change after it was written. */
  told?(view: V, event: string): Promise<void>;
}
