import { Injectable } from '@nestjs/common';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { exportRequests } from '../requests/export-request.js';
import { SubjectFinder } from './subject-finder.js';
import type { DataSubject, SubjectFindings } from './subject.dto.js';

/** Searches for a person in everything that the caller may see. */
@Injectable()
export class SubjectSearchService {
  constructor(
    private readonly finder: SubjectFinder,
    private readonly trail: AuditTrail,
  ) {}

  /** The search is logged, without the address. @throws Problem 400. */
  async search(subject: DataSubject): Promise<SubjectFindings> {
    this.finder.refuseUnknown(subject, '/object');
    const { object = null, id = null } = subject;
    const target = { type: object ?? exportRequests.type, id, name: null };
    const action = 'data_export.subject_search';
    await this.trail.record({ action, target, outcome: 'success', riskLevel: 'high' });
    return this.finder.search(subject);
  }
}
