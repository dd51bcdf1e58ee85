import { toLatin } from '#libs/kernel/latin.js';
import { isRoleGrant } from '#libs/auth/roles.js';
import { cut } from '#libs/kernel/cut.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { Role } from './role.js';
import { permissionsOf } from './role-presets.js';
import type { NewRole, RolePatch } from './role.requests.js';

const MAX_KEY = 56;

/**
 * The permissions of a new role. @throws Problem 400 unless exactly one of permissions and preset is given and all are
 * known.
 */
export function permissionsFrom({ permissions, preset }: NewRole): string[] {
  if ((permissions === undefined) === (preset === undefined))
    throw Problem.validation([
      {
        pointer: '/permissions',
        code: permissions === undefined ? 'required' : 'ambiguous',
        detail: 'Specify either permissions or a preset.',
      },
    ]);
  if (preset !== undefined) return permissionsOf(preset);
  refuse(unknown('/permissions', permissions));
  return [...permissions!].sort();
}

/**
 * A role after a patch. @throws Problem 400 for unknown permissions, and for `permissions` combined with `add` or
 * `remove`.
 */
export function editedRow(row: Role, patch: RolePatch): Role {
  const { permissions, add = [], remove = [], name = row.name, description = row.description } = patch;
  if (permissions !== undefined && (patch.add !== undefined || patch.remove !== undefined))
    throw Problem.validation([
      {
        pointer: '/permissions',
        code: 'ambiguous',
        detail: 'Specify either all permissions, or those to add and remove.',
      },
    ]);
  refuse([...unknown('/permissions', permissions), ...unknown('/add', add), ...unknown('/remove', remove)]);
  const wanted = permissions ?? [...row.permissions, ...add].filter((each) => !remove.includes(each));
  const changed = permissions !== undefined || add.length > 0 || remove.length > 0;
  return { ...row, name, description, permissions: changed ? [...new Set(wanted)].sort() : row.permissions };
}

/** A unique key derived from a name. */
export function keyFrom(name: string, taken: ReadonlySet<string>): string {
  const plain = toLatin(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '');
  const base = cut(plain, MAX_KEY) || 'role';
  if (!taken.has(base)) return base;
  for (let number = 2; ; number++) if (!taken.has(`${base}_${number}`)) return `${base}_${number}`;
}

function unknown(place: string, permissions: readonly string[] = []): Violation[] {
  return permissions.flatMap((permission, index) =>
    isRoleGrant(permission)
      ? []
      : [{ pointer: `${place}/${index}`, code: 'unknown_permission', detail: 'There is no such permission.' }],
  );
}

function refuse(violations: Violation[]): void {
  if (violations.length > 0) throw Problem.validation(violations);
}
