import { statement, type Statement } from './statement.js';

/**
 * Statements that write the same as these, in fewer statements: rows of one table are inserted together, at the place
 * of the first one, and the same check is made once. For records that are added together and do not refer to each other.
 */
export function merged(statements: readonly Statement[]): Statement[] {
  const groups = new Map<string, Statement[]>();
  const checks = new Set<string>();
  const places: Statement[][] = [];
  for (const each of statements) {
    const { text, values, many, isCheck } = each;
    if (many !== undefined) {
      const group = groups.get(many);
      if (group) group.push(each);
      else {
        const first = [each];
        groups.set(many, first);
        places.push(first);
      }
    } else if (isCheck) {
      const key = JSON.stringify([text, values]);
      if (!checks.has(key)) places.push([each]);
      checks.add(key);
    } else places.push([each]);
  }
  return places.map((group) => (group.length === 1 ? group[0]! : together(group)));
}

function together(group: readonly Statement[]): Statement {
  const { many, values } = group[0]!;
  return statement(
    many!, // as the group shares it
    values.map((_, place) => group.map((each) => each.values[place])),
  );
}
