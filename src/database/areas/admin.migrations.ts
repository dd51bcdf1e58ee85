import { Access1763700000020 } from '../migrations/1763700000020-access.js';
import { Members1763700000023 } from '../migrations/1763700000023-members.js';
import { Transfers1763700000029 } from '../migrations/1763700000029-transfers.js';
import { MemberCounts1763700000031 } from '../migrations/1763700000031-member-counts.js';
import { ServiceLevels1763700000112 } from '../migrations/1763700000112-service-levels.js';
import { Slo1763700000111 } from '../migrations/1763700000111-slo.js';
import { Denials1763700000042 } from '../migrations/1763700000042-denials.js';

/** What a tenant administers: roles, exceptions, workspaces, members, and what it knows of them. */
export const ADMIN_MIGRATIONS = [
  Access1763700000020,
  Members1763700000023,
  Transfers1763700000029,
  MemberCounts1763700000031,
  Denials1763700000042,
  Slo1763700000111,
  ServiceLevels1763700000112,
];
