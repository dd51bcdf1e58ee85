import { Injectable } from '@nestjs/common';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { PAGE_SIZE, type PageQuery } from '#libs/resource/lists/page-query.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { FRAMEWORKS } from './collector.js';
import { COLLECTORS } from './collectors/every.js';
import type { EvidenceCatalog, EvidenceList, ListedEvidence } from './evidence-list.dto.js';

// The bundle and the audit entry of its first export were committed together.
const PAGE = `
  select b.id, b.framework, b.controls, b.period, b.summary, b.root_hash as "rootHash", b.key_id as "keyId",
    case when p.id is not null then jsonb_build_object('id', p.id, 'rootHash', p.root_hash) end as "previousBundle",
    b.created_at as "createdAt", t.actor as "createdBy"
  from data.evidence_bundles b
    left join data.evidence_bundles p on p.tenant_id = b.tenant_id and p.id = b.previous_id
    left join lateral (select l.entry::jsonb -> 'actor' as actor from data.audit_log l
      where l.tenant_id = b.tenant_id and l.target_id = b.id::text and l.action = 'evidence.exported'
      order by l.occurred_at, l.id limit 1) t on true
  where b.tenant_id = $1 and ($3::timestamptz is null or (b.created_at, b.id) < ($3, $4::uuid))
  order by b.created_at desc, b.id desc limit $2`;

/** What can be exported as evidence, and what has been. */
@Injectable()
export class EvidenceListService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly trail: AuditTrail,
  ) {}

  /** The stored bundles, newest first. Each read is logged. @throws Problem 400 `cursor_invalid`. */
  async bundles({ limit = PAGE_SIZE, cursor }: PageQuery): Promise<EvidenceList> {
    const purpose = `${currentTenant().id} evidence bundles`;
    const [createdAt, id] = cursor === undefined ? [null, null] : this.cursors.read(cursor, purpose);
    const values = [currentTenant().id, limit + 1, createdAt, id];
    const rows = await this.database.read<ListedEvidence>(statement(PAGE, values));
    await this.trail.record({ action: 'evidence.listed', target: null, outcome: 'success', riskLevel: 'low' });
    const data = rows.slice(0, limit);
    const last = data.at(-1);
    const hasMore = rows.length > limit;
    const nextCursor = hasMore && last ? this.cursors.write([last.createdAt, last.id], purpose) : null;
    return { data, page: { limit, hasMore, nextCursor } };
  }

  /** The frameworks and controls that there is evidence for. */
  catalog(): EvidenceCatalog {
    const controls = COLLECTORS.map(({ controlId, control, title, type, source, frameworks }) => ({
      ...{ controlId, control, title, type, source, frameworks },
    }));
    return { frameworks: FRAMEWORKS, controls };
  }
}
