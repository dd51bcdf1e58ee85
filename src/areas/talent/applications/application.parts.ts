import { statement } from '#libs/database/statement.js';
import type { RecordView } from '#libs/resource/types/record.dto.js';
import type { RecordRow } from '#libs/resource/types/record.entity.js';
import type { Records } from '#libs/resource/records/records.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** SQL for the workspace of a row `t` of an application: its own, else that of the application or candidate. */
export const WORKSPACE_OF_APPLICATION = `coalesce(t.workspace_id, (select coalesce(a.workspace_id, c.workspace_id)
  from data.talent_applications a join data.talent_candidates c on c.tenant_id = a.tenant_id and c.id = a.candidate_id
  where a.tenant_id = t.tenant_id and a.id = t.application_id))`;

/** Erases fields of the records of some applications, including records in the trash. */
export async function eraseParts<R extends RecordRow, V extends RecordView, A extends string>(
  records: Records<R, V, A>,
  applicationIds: string[],
  changes: (row: R) => Partial<R>,
): Promise<void> {
  const repository = records.kit.rows(records.definition.entity);
  const text = `select id from ${records.table} where tenant_id = $1 and application_id = any($2::uuid[]) order by id`;
  const query = statement(text, [currentTenant().id, applicationIds]);
  await records.unit(async (transaction) => {
    for (const { id } of await transaction.query<{ id: string }>(query)) {
      const row = await repository.lock(transaction, id);
      if (row) await records.rows.erase(transaction, row, changes(row));
    }
  });
}
