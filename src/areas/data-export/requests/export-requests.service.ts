import { Injectable } from '@nestjs/common';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { guarantorOf } from '#libs/auth/guarantors.js';
import { personBehind, personOf } from '#libs/auth/principal.js';
import { includedIn } from '#libs/auth/rights.js';
import { FileLinks } from '#libs/http/files/file-links.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { ArchiveContents } from '../archive/archive-contents.js';
import { ArchiveRuns, nameOf } from '../archive/archive-runs.js';
import { SubjectFinder } from '../subjects/subject-finder.js';
import { ExportGate } from './export-gate.js';
import { exportRequests, MAX_HOURS, type DataExportRequest, type ShownRequest } from './export-request.js';
import { ExportRequestNotices } from './export-request-notices.js';
import { ExportRequestRecords } from './export-request-records.js';
import type { ArchiveLink, NewExportRequest } from './export-request.requests.js';
import { requireKind } from './requested-kind.js';

const LINK_MINUTES = 15;

/** Exports of data that the caller requests. */
@Injectable()
export class ExportRequestsService {
  constructor(
    private readonly records: ExportRequestRecords,
    private readonly gate: ExportGate,
    private readonly runs: ArchiveRuns,
    private readonly contents: ArchiveContents,
    private readonly finder: SubjectFinder,
    private readonly notices: ExportRequestNotices,
    private readonly links: FileLinks,
    private readonly trail: AuditTrail,
  ) {}

  list(query: object): Promise<Page<ShownRequest>> {
    return this.records.objects.list(query);
  }

  /** @throws Problem 404. */
  get(id: string): Promise<ShownRequest> {
    return this.records.objects.get(id);
  }

  /** @throws Problem 400, 403, 409 `limit_reached`. */
  async create(input: NewExportRequest): Promise<ShownRequest> {
    requireKind(input.kind);
    const asked = withDefaults(input);
    this.contents.refuseUnknownAreas(asked.areas);
    if (asked.subject) this.finder.refuseUnknown(asked.subject, '/subject/object');
    const quorum = await this.gate.needed(asked);
    const caller = currentPrincipal();
    const { objects } = this.records;
    return objects.unit(async (transaction) => {
      await objects.refuseBeyondLimit();
      const request = { ...asked, ...NOTHING_YET, ...whoAsks(), scopes: includedIn(caller.permissions) };
      if (quorum === 0) return objects.show(this.runs.begin(transaction, { ...request, quorum: 1 }));
      const row = objects.add(transaction, { ...request, quorum, status: 'pending_approval', jobId: null });
      await this.notices.requested(transaction, row);
      return objects.show(row);
    });
  }

  /** Ends a request that waits or is carried out. @throws Problem 403, 404, 409 `invalid_transition`. */
  async cancel(id: string): Promise<ShownRequest> {
    const { objects } = this.records;
    return objects.unit(async (transaction) => {
      const row = await objects.lock(transaction, id);
      requireKind(row.kind);
      objects.refuseImpossible(row, 'cancel');
      return objects.show(await this.runs.cancel(transaction, row, null));
    });
  }

  /**
   * A link that opens the archive one time. Making it is logged, and so is opening it.
   * @throws Problem 403, 404, 409 `blocked` for one that is not ready, 410 `export_expired`.
   */
  async download(id: string): Promise<ArchiveLink> {
    const row = await this.records.objects.read(id);
    if (row.requesterId !== personOf(currentPrincipal()))
      throw new Problem('permission_denied', 'Only who requested an export can download it.');
    requireKind(row.kind);
    if (row.status === 'expired' || row.status === 'revoked')
      throw new Problem('export_expired', 'The archive is removed: request another export.');
    if (row.contentId === null) throw new Problem('blocked', `The export is ${row.status}, not ready.`);
    const use = { object: exportRequests.type, id };
    const link = this.links.make({
      ...{ contentId: row.contentId, use, name: nameOf(row) },
      ...{ inline: false, once: true, minutes: LINK_MINUTES },
    });
    const target = { type: exportRequests.type, id, name: exportRequests.noun };
    await this.trail.record({ action: `${exportRequests.type}.linked`, target, outcome: 'success', riskLevel: 'high' });
    return link;
  }
}

const NOTHING_YET = {
  ...{ isFull: false, approvals: [], fullGuarantor: null, decisionReason: null, expiresInHours: MAX_HOURS },
  ...{ snapshotAt: null, recordCounts: null, sizeBytes: null, sha256: null, error: null, finishedAt: null },
  ...{ downloadExpiresAt: null, contentId: null, isStale: false },
} as const satisfies Partial<DataExportRequest>;

/** The caller, and the person behind the credential. */
function whoAsks(): Pick<DataExportRequest, 'requesterId' | 'requesterBehind' | 'guarantor' | 'requestedBy'> {
  const caller = currentPrincipal();
  const guarantor = guarantorOf(caller);
  const people = { requesterId: personOf(caller), requesterBehind: personBehind(caller) };
  return { ...people, guarantor, requestedBy: currentScope().actor };
}

function withDefaults({
  kind,
  areas = null,
  subject = null,
  format = 'ndjson_zip',
  includeFiles = false,
  includeDeleted = false,
  reason = null,
}: NewExportRequest) {
  return { kind, areas, subject, format, includeFiles, includeDeleted, reason };
}
