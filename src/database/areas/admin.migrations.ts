import { Access1763700000020 } from '../migrations/1763700000020-access.js';
import { Members1763700000023 } from '../migrations/1763700000023-members.js';
import { Transfers1763700000029 } from '../migrations/1763700000029-transfers.js';
import { MemberCounts1763700000031 } from '../migrations/1763700000031-member-counts.js';
import { Denials1763700000042 } from '../migrations/1763700000042-denials.js';
import { AccessReviews1763700000088 } from '../migrations/1763700000088-access-reviews.js';
import { Posture1763700000093 } from '../migrations/1763700000093-posture.js';
import { AuditStreams1763700000097 } from '../migrations/1763700000097-audit-streams.js';
import { AuditFilters1763700000098 } from '../migrations/1763700000098-audit-filters.js';
import { Evidence1763700000100 } from '../migrations/1763700000100-evidence.js';
import { Slo1763700000111 } from '../migrations/1763700000111-slo.js';
import { ServiceLevels1763700000112 } from '../migrations/1763700000112-service-levels.js';
import { EvidenceChains1763700000117 } from '../migrations/1763700000117-evidence-chains.js';
import { FastErasure1763700000120 } from '../migrations/1763700000120-fast-erasure.js';
import { EvidenceList1763700000122 } from '../migrations/1763700000122-evidence-list.js';
import { SlaCorrections1763700000129 } from '../migrations/1763700000129-sla-corrections.js';
import { Onboarding1763700000153 } from '../migrations/1763700000153-onboarding.js';
import { SalesHandoff1763700000162 } from '../migrations/1763700000162-sales-handoff.js';
import { TalentMappings1763700000166 } from '../migrations/1763700000166-talent-mappings.js';
import { SampleData1763700000185 } from '../migrations/1763700000185-sample-data.js';
import { GivenMappingValues1763700000190 } from '../migrations/1763700000190-given-mapping-values.js';
import { FailedReviewStarts1763700000193 } from '../migrations/1763700000193-failed-review-starts.js';
import { HandoffPromises1763700000213 } from '../migrations/1763700000213-handoff-promises.js';
import { MappingPromises1763700000210 } from '../migrations/1763700000210-mapping-promises.js';
import { SampleRemoval1763700000194 } from '../migrations/1763700000194-sample-removal.js';
import { Addresses1763700000250 } from '../migrations/1763700000250-addresses.js';

/** What a tenant administers: roles, exceptions, workspaces, members, access reviews, and what it knows of them. */
export const ADMIN_MIGRATIONS = [
  Access1763700000020,
  Members1763700000023,
  Transfers1763700000029,
  MemberCounts1763700000031,
  Denials1763700000042,
  AccessReviews1763700000088,
  Posture1763700000093,
  AuditStreams1763700000097,
  AuditFilters1763700000098,
  Evidence1763700000100,
  Slo1763700000111,
  ServiceLevels1763700000112,
  EvidenceChains1763700000117,
  FastErasure1763700000120,
  EvidenceList1763700000122,
  SlaCorrections1763700000129,
  Onboarding1763700000153,
  SalesHandoff1763700000162,
  TalentMappings1763700000166,
  SampleData1763700000185,
  GivenMappingValues1763700000190,
  FailedReviewStarts1763700000193,
  SampleRemoval1763700000194,
  Addresses1763700000250,
  MappingPromises1763700000210,
  HandoffPromises1763700000213,
];
