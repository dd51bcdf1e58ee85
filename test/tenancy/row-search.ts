/** An SQL condition on columns; a column `c` is written `"of_c"."c"`, or just `c`. */
export interface Condition {
  sql: string;
  columns: readonly string[];
}

/**
 * The SQL that finds one value per column, among its literals, so that every condition holds; no row when there are
 * none.
 *
 * Columns without a common condition are searched separately. In one join their combinations would multiply, and the
 * run time would depend on the plan.
 * @param literals by column, each with its type.
 */
export function rowSearch(literals: ReadonlyMap<string, readonly string[]>, conditions: readonly Condition[]): string {
  const isOpen = (column: string) => (literals.get(column)?.length ?? 0) > 1;
  const groups: { columns: Set<string>; conditions: Condition[] }[] = [...literals.keys()]
    .filter(isOpen)
    .map((column) => ({ columns: new Set([column]), conditions: [] }));
  for (const condition of conditions) {
    const tied = groups.filter(({ columns }) => condition.columns.some((column) => columns.has(column)));
    const merged = tied.shift() ?? { columns: new Set<string>(), conditions: [] };
    if (merged.columns.size === 0) groups.push(merged);
    for (const other of tied) {
      other.columns.forEach((column) => merged.columns.add(column));
      merged.conditions.push(...other.conditions);
      groups.splice(groups.indexOf(other), 1);
    }
    merged.conditions.push(condition);
  }
  const source = (column: string) =>
    `(values ${literals
      .get(column)!
      .map((literal) => `(${literal})`)
      .join(', ')}) as "of_${column}" ("${column}")`;
  const fixed = [...literals.keys()].filter((column) => !isOpen(column));
  const parts = groups.map(({ columns, conditions: own }, i) => {
    const needed = fixed.filter((column) => own.some((condition) => condition.columns.includes(column)));
    const wanted = [...columns].map((column) => `"${column}"`).join(', ');
    const where = own.map(({ sql }) => `(${sql})`).join(' and ') || 'true';
    const from = [...columns, ...needed].map(source).join(' cross join ');
    return `(select ${wanted} ${from && `from ${from}`} where ${where} limit 1) as group_${i}`;
  });
  const names = [...literals.keys()].map((column) => `"${column}"`).join(', ');
  return `select ${names} from ${[...fixed.map(source), ...parts].join(' cross join ')}`;
}
