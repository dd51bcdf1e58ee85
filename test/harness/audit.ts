/** An entry of the audit log with what stands beside it, as text: an SQL expression over a row of `data.audit_log`. */
export const AUDITED = `(entry::jsonb || (details::jsonb - 'targetName') || case when entry::jsonb -> 'target' = 'null' then '{}'
  else jsonb_build_object('target', entry::jsonb -> 'target' || jsonb_build_object('name', details::jsonb -> 'targetName'))
  end)::text`;
