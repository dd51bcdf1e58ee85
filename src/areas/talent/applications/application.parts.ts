/** SQL of the workspace of a row `t` that is part of an application: its own, the application's, or the candidate's. */
export const WORKSPACE_OF_APPLICATION = `coalesce(t.workspace_id, (select coalesce(a.workspace_id, c.workspace_id)
  from data.talent_applications a join data.talent_candidates c on c.tenant_id = a.tenant_id and c.id = a.candidate_id
  where a.tenant_id = t.tenant_id and a.id = t.application_id))`;
