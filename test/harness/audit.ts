/** SQL expression for an audit entry with its details as text, over a row of `data.audit_log`. */
export const AUDITED = `(entry::jsonb || (details::jsonb - 'targetName') || case when entry::jsonb -> 'target' = 'null' then '{}'
  else jsonb_build_object('target', entry::jsonb -> 'target' || jsonb_build_object('name', details::jsonb -> 'targetName'))
  end)::text`;
