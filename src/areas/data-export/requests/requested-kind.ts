import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import type { DataExportRequest } from './export-request.js';

/** Who may request exports. */
export const REQUEST = 'data-exports:request';
/** Who may request exports of the audit log, besides those. */
export const AUDIT = 'audit:export';

/** Requires that the caller may request exports of a kind. @throws Problem 403. */
export function requireKind(kind: DataExportRequest['kind']): void {
  if (kind === 'audit' && currentPrincipal().permissions.reach(AUDIT) === 'tenant') return;
  requirePermission(REQUEST);
}
