/**
 * SQL condition: the columns of the row `t` of the audit log match its canonical text, that text matches its hash, and
 * the data beside it matches its commitments. Erased details are not checked. False for a missing row.
 *
 * `to_json` escapes strings exactly like `JSON.stringify`.
 */
export const ENTRY_IS_INTACT = `(case
  when t.leaf_hash = sha256('\\x00'::bytea || convert_to(t.entry, 'UTF8')) and data.is_json_object(t.entry) then (
    select e."id" = t.id::text and e."tenantId" = t.tenant_id::text
      and e."occurredAt" = to_char(t.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      and e."contextCommitment" = encode(sha256(t.context_salt || convert_to('['
        || coalesce(to_json(t.client_ip)::text, 'null') || ',' || coalesce(to_json(t.user_agent)::text, 'null')
        || ']', 'UTF8')), 'hex')
      and case when t.details_salt is null then t.erased_at is not null
        else e."detailsCommitment" = encode(sha256(t.details_salt || convert_to(t.details, 'UTF8')), 'hex') end
    from json_to_record(t.entry::json) as e ("id" text, "tenantId" text, "occurredAt" text, "contextCommitment" text,
      "detailsCommitment" text))
  end is true)`;
