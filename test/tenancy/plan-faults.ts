import { MANY } from './many-rows.js';

/** A plan node from `explain (format json)`. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Schema?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Plan Rows': number;
  Plans?: PlanNode[];
}

/** Maximum number of rows sorted for one page: enough for a filtered list, but not for all rows of a tenant. */
const FEW = MANY / 6;

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** Plan nodes whose cost grows with the tenant: scanning the whole table or sorting all of it. */
export function faultsOfPlan(plan: PlanNode, table: string): string[] {
  const [, relation] = table.split('.');
  return nodesOf(plan).flatMap((node) => {
    const type = node['Node Type'];
    if (type === 'Seq Scan' && node['Relation Name'] === relation) return [`it reads all of ${table}`];
    const sorted = node.Plans?.[0]?.['Plan Rows'] ?? 0;
    if (type === 'Sort' && sorted > FEW) return [`it sorts ${sorted} rows`];
    return [];
  });
}

/**
 * As {@link faultsOfPlan} for a list without filters: no sorting at all, and later pages start from an index condition.
 */
export function faultsOfSort(plan: PlanNode, table: string, later: boolean): string[] {
  const [, relation] = table.split('.');
  const nodes = nodesOf(plan);
  const sorts = nodes.filter((node) => node['Node Type'].endsWith('Sort')).map(() => 'it sorts');
  const scan = nodes.find((node) => node['Relation Name'] === relation);
  const seeks = !later || scan?.['Index Cond']?.includes('ROW(');
  return [...faultsOfPlan(plan, table), ...sorts, ...(seeks ? [] : ['it reads the pages before'])];
}
