import { MANY } from './many-rows.js';

/** A node of a plan as `explain (format json)` shows it. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Schema?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Plan Rows': number;
  Plans?: PlanNode[];
}

/** Rows that may be sorted for one page: what a filter leaves, but not what a tenant has. */
const FEW = MANY / 6;

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** What makes a page cost more the more rows a tenant has: reading the table from end to end, or sorting all of it. */
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

/** As {@link faultsOfPlan} for a list without filters: no sorting at all, and a later page begins where the index says. */
export function faultsOfSort(plan: PlanNode, table: string, later: boolean): string[] {
  const [, relation] = table.split('.');
  const nodes = nodesOf(plan);
  const sorts = nodes.filter((node) => node['Node Type'].endsWith('Sort')).map(() => 'it sorts');
  const scan = nodes.find((node) => node['Relation Name'] === relation);
  const seeks = !later || scan?.['Index Cond']?.includes('ROW(');
  return [...faultsOfPlan(plan, table), ...sorts, ...(seeks ? [] : ['it reads the pages before'])];
}
