import { id, text } from '#libs/http/field.js';
import { filter, type FilterTerm, type ListOptions } from '#libs/resource/list-query.js';
import { type DeliveryStatus, LEASED } from '#libs/webhooks/delivery-status.js';

const IN_FLIGHT: DeliveryStatus = 'in_flight';

/** Conditions on the status as an index can serve them, for {@link indexed}; and the endpoint. */
const INDEXED: ListOptions['filters'] = {
  storedStatus: { ...filter.exact(text({ max: 20 })), sql: 't.status' },
  leased: filter.related(text({ max: 20 }), `(${LEASED} and :values::text[] is not null)`),
  endpointId: filter.exact(id()),
};

/** A list of deliveries with the filters that {@link indexed} adds. */
export function withIndexed(options: ListOptions): ListOptions {
  return { ...options, filters: { ...options.filters, ...INDEXED } };
}

/**
 * Filters by status, with what lets PostgreSQL go by an index: no delivery can have one of these statuses without having
 * it on record, and what is in flight is leased.
 */
export function indexed(filters: readonly FilterTerm[]): FilterTerm[] {
  return filters.flatMap((term) => {
    if (term.field !== 'status' || !['eq', 'in'].includes(term.operator)) return [term];
    const values = [term.value].flat() as string[];
    if (!values.includes(IN_FLIGHT)) return [{ field: 'storedStatus', operator: 'in', value: values }, term];
    return values.length === 1 ? [{ field: 'leased', operator: 'eq', value: values }, term] : [term];
  });
}
