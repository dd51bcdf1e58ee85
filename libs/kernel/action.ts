/** A permission that an action requires, for the whole tenant unless it says otherwise; as in the declaration of a route. */
export interface Right {
  permission: string;
  /** Type key of its records, where an exception for single records is enough. Each record is checked later. */
  object?: string;
  /** A limited reach is enough. Each record is checked later. */
  withinReach?: true;
}

/** One action of a command: who may take it, and the members of the body that belong to it. */
export interface Action {
  /** Rights that it requires; the first one is also enough to call the operation. */
  may?: readonly Right[];
  /** Field of the record: the membership in it may take the action without these rights. */
  orHolder?: string;
  /** Field of the record: the person in it may not take the action, and what they are told. */
  notBy?: { person: string; detail: string };
  /** Members that it requires. `params/days` is a member of `params`. */
  needs?: readonly string[];
  /** Members that it accepts besides. */
  takes?: readonly string[];
}

/** The right to a permission with any reach. */
export function within(permission: string): Right {
  return { permission, withinReach: true };
}
