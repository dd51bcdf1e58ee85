import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';

export const FILE_STATUSES = ['uploading', 'scanning', 'available', 'quarantined'] as const;
const there = ['scanning', 'available', 'quarantined'] as const;
const byPlatform = { permission: 'files:write', byPlatform: true } as const;

/** A file can be read while it is `available`. */
export const fileLifecycle = lifecycle({
  states: FILE_STATUSES,
  initial: 'uploading',
  transitions: {
    take: {
      ...byPlatform,
      from: ['uploading', ...there],
      to: 'available',
      event: 'uploaded',
      summary: 'Take the bytes of a file',
      happened: 'The bytes of a file, or of a new version, have arrived.',
    },
    scan: {
      ...byPlatform,
      from: ['uploading', ...there],
      to: 'scanning',
      event: 'scan_started',
      summary: 'Scan a file for viruses',
      happened: 'The bytes of a file, or of a new version, have arrived and wait for the scan for viruses.',
    },
    release: {
      ...byPlatform,
      from: ['scanning'],
      to: 'available',
      event: 'released',
      summary: 'Release a scanned file',
      happened: 'The scan of a file found nothing.',
    },
    quarantine: {
      ...byPlatform,
      from: ['scanning'],
      to: 'quarantined',
      event: 'quarantined',
      summary: 'Put a file into quarantine',
      happened: 'The scan of a file found malware; nobody can read that version.',
      risk: 'high',
    },
    ...archiveActions('file', FILE_STATUSES, 'files:write'),
    ...trashActions('file', FILE_STATUSES, 'files:delete'),
  },
});
