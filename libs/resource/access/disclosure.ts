import type { Guard } from '#libs/access/guard.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { ResourceRegistry } from '../resource-registry.js';

/** The columns that identify the record that a row is about. */
export interface About {
  type: string;
  id: string;
}

/** The record that a row `e` of `data.events` is about. */
export const EVENT_ABOUT: About = { type: 'e.subject_type', id: 'e.subject_id' };
/** The record that a row `t` of `data.webhook_deliveries` is about. */
export const DELIVERY_ABOUT: About = { type: 't.subject_type', id: 't.subject_id' };

/**
 * Excludes rows about records that the caller may not see. Keeps rows about anything else, and about records that no
 * longer exist. Null if nothing is hidden from the caller.
 */
export function disclosing(registry: ResourceRegistry, { type, id }: About): Guard | null {
  const hidden = registry.everything().flatMap(({ definition, service }) => {
    const disclosed = service.disclosed();
    return disclosed ? [{ object: definition.type, table: service.table, disclosed }] : [];
  });
  if (hidden.length === 0) return null;
  return (add) => {
    const tenant = `${add(currentTenant().id)}::uuid`;
    // Looks up the record in the table of its type: `o` is the row, `t` is the record in the subquery.
    const cases = hidden.map(
      ({ object, table, disclosed }) => `when '${object}' then not exists (select 1 from (select ${id}::uuid as id) o,
        ${table} t where t.tenant_id = ${tenant} and t.id = o.id and (${disclosed(add)}) is not true)`,
    );
    return `(case ${type} ${cases.join(' ')} else true end)`;
  };
}
