/** Notes that a place of a record names a file. */
export const ADD_USE = `insert into data.file_uses (tenant_id, file_id, object, record_id, place)
  values ($1, $2, $3, $4, $5) on conflict do nothing`;
/** Notes that a place of a record names no file any more. */
export const END_USE = `delete from data.file_uses
  where tenant_id = $1 and object = $2 and record_id = $3 and place = $4`;
