import { pathOf } from '#libs/resource/types/definition.js';
import type { PlannedDimension, ReportPlan } from './report-plan.js';
import type { ReportRecord } from './report-sql.js';

/** Path and query of the list of exactly the records of a group. */
export function drillDownOf({ resource, filter, dimensions }: ReportPlan, row: ReportRecord): string {
  const parameters = new Map(Object.entries(filter));
  for (const [index, dimension] of dimensions.entries()) limitTo(parameters, dimension, row, index);
  const query = new URLSearchParams([...parameters]);
  query.sort();
  const path = pathOf(resource.definition);
  return query.size > 0 ? `${path}?${query.toString()}` : path;
}

function limitTo(
  parameters: Map<string, string>,
  { field: { name, kind }, bucket }: PlannedDimension,
  row: ReportRecord,
  index: number,
): void {
  const value = row[`d${index}`] ?? null;
  if (value === null) {
    parameters.set(`${name}[isNull]`, 'true');
    return;
  }
  if (bucket === null) {
    parameters.set(name, String(value));
    return;
  }
  tighten(parameters, `${name}[gte]`, String(row[`f${index}`]), (sent, bound) => sent >= bound);
  const [operator, isTighter] =
    kind === 'date'
      ? (['lte', (sent: number, bound: number) => sent <= bound] as const)
      : (['lt', (sent: number, bound: number) => sent < bound] as const);
  tighten(parameters, `${name}[${operator}]`, String(row[`u${index}`]), isTighter);
}

/** Sets a bound, unless the filter of the report has a tighter one. */
function tighten(
  parameters: Map<string, string>,
  parameter: string,
  bound: string,
  isTighter: (sent: number, bound: number) => boolean,
): void {
  const sent = parameters.get(parameter);
  if (sent === undefined || !isTighter(Date.parse(sent), Date.parse(bound))) parameters.set(parameter, bound);
}
