import type { Permission } from '#libs/auth/permissions.js';
import { moves } from '#libs/kernel/lifecycle.js';

/** Who decides on requested exports of data. */
export const APPROVE: Permission = 'exports:approve';
const may = [{ permission: APPROVE }];

export const EXPORT_ACTIONS = ['approve', 'reject', 'cancel', 'retry', 'extend', 'revoke_download'] as const;
export type ExportAction = (typeof EXPORT_ACTIONS)[number];

/** What becomes of a request, and what each of its actions takes. */
export const requestLife = moves({
  states: [
    ...['pending_approval', 'queued', 'running', 'ready', 'failed', 'rejected', 'cancelled', 'revoked', 'expired'],
  ] as const,
  initial: 'pending_approval',
  transitions: {
    approve: {
      ...{ from: ['pending_approval'], to: 'queued', event: 'approved' },
      ...{ may, takes: ['reason', 'full', 'expiresInHours'] },
    },
    reject: { from: ['pending_approval'], to: 'rejected', event: 'rejected', may, needs: ['reason'] },
    cancel: {
      ...{ from: ['pending_approval', 'queued', 'running'], to: 'cancelled', event: 'cancelled' },
      ...{ may, takes: ['reason'] },
    },
    retry: { from: ['failed'], to: 'queued', event: 'retried', may, takes: ['reason'] },
    extend: { from: ['ready'], to: null, event: 'extended', may, needs: ['expiresInHours'], takes: ['reason'] },
    revoke_download: { from: ['ready'], to: 'revoked', event: 'revoked', may, takes: ['reason'] },
    start: { from: ['queued'], to: 'running', event: 'started', byPlatform: true },
    complete: { from: ['running'], to: 'ready', event: 'ready', byPlatform: true },
    fail: { from: ['queued', 'running'], to: 'failed', event: 'failed', byPlatform: true },
    expire: { from: ['ready'], to: 'expired', event: 'expired', byPlatform: true },
  },
});
