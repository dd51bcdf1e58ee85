import type pg from 'pg';
import type { Roles } from '#libs/database/roles.js';
import { OBJECT_RULES } from './lint-objects.js';
import { RIGHT_RULES } from './lint-rights.js';
import type { Rule } from './lint-rule.js';
import { TABLE_RULES } from './lint-tables.js';

const RULES: Rule[] = [...TABLE_RULES, ...OBJECT_RULES, ...RIGHT_RULES];

/**
 * Findings in the catalog that could let one tenant reach another's rows, as sentences that name the table; empty when
 * there are none. Reads the catalog within the connection's transaction. Stops after `most` findings.
 */
export async function lintCatalog(
  client: Pick<pg.ClientBase, 'query'>,
  roles: Roles,
  most = Infinity,
): Promise<string[]> {
  const findings: string[] = [];
  for (const { name, sql, values } of RULES) {
    if (findings.length >= most) break;
    const { rows } = await client.query<{ place: string; fault: string }>(sql, values?.(roles) ?? []);
    findings.push(...rows.map(({ place, fault }) => `${place}: ${fault} (${name})`));
  }
  return findings;
}
