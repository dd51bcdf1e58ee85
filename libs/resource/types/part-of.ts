/**
 * SQL of the workspace of a row `t` that is part of a row of another table: its own workspace, or else that of the
 * parent.
 */
export function workspaceOfWhole(table: string, column: string): string {
  return `coalesce(t.workspace_id, (select w.workspace_id from ${table} w
    where w.tenant_id = t.tenant_id and w.id = t.${column}))`;
}
