import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { ResourceDefinition } from '../types/definition.js';
import { ADD_USE, END_USE } from './file-uses.statements.js';

const TABLE = 'data.documents_files';

/** The statements that note which files the fields of a changed record name. `before` is null for a new one. */
export function fileReferences<R extends { id: string }>(
  { type, references = {} }: Pick<ResourceDefinition<never>, 'type' | 'references'>,
  before: R | null,
  after: R,
): Statement[] {
  const fields = Object.keys(references).filter((field) => references[field]!.table === TABLE) as (keyof R & string)[];
  return fields
    .filter((field) => (before?.[field] ?? null) !== after[field])
    .flatMap((field) => {
      const { id } = currentTenant();
      const end = before?.[field] == null ? [] : [statement(END_USE, [id, type, after.id, field])];
      const add = after[field] == null ? [] : [statement(ADD_USE, [id, after[field], type, after.id, field])];
      return [...end, ...add];
    });
}
