/** Collections for which agents may have tools, by area. */
const COLLECTIONS = {
  finance: ['invoices'],
  people: ['employees'],
  sales: ['accounts', 'contacts', 'deals', 'leads', 'products'],
  talent: ['candidates', 'interviews', 'jobs'],
  work: ['projects', 'tasks'],
} as const;

/** What a tool does: the last part of its operation id, and the action of its permission. */
const VERBS = {
  search: ['list', 'read'],
  get: ['get', 'read'],
  create: ['create', 'write'],
  update: ['update', 'write'],
} as const;

/** An operation of the API that can be granted to an agent. */
export interface Tool {
  /** Operation id, e.g. `sales.deals.list`. */
  operation: string;
  /** The permission that agent and requester need for a call. */
  permission: string;
}

/** Every tool by its key, e.g. `deals.search`. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(
  Object.entries(COLLECTIONS).flatMap(([area, collections]) =>
    collections.flatMap((collection) =>
      Object.entries(VERBS).map(([verb, [operation, action]]): [string, Tool] => [
        `${collection}.${verb}`,
        { operation: `${area}.${collection}.${operation}`, permission: `${collection}:${action}` },
      ]),
    ),
  ),
);
