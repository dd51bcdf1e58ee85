import { Injectable, StreamableFile } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { Database } from '#libs/database/database.js';
import type { Row } from '#libs/database/flights/flight.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { requireRange } from '#libs/kernel/time-range.js';
import { canonical } from '#libs/kernel/canonical.js';
import { AuditSealer } from '#libs/proof/audit-sealer.js';
import { AuditTree } from '#libs/proof/audit-tree.js';
import { EMPTY_ROOT } from '#libs/proof/merkle.js';
import { SigningKeys } from '#libs/proof/signing-keys.js';
import { currentScope, currentTenant, stamp } from '#libs/tenancy/scope.js';
import { hexOf } from '../audit-logs/audit-proofs.service.js';
import { archiveOf, filesOf } from './archive.js';
import { bundleOf, contentHash, itemsOf } from './bundle.js';
import { type Collector, FRAMEWORKS, type Period } from './collector.js';
import { COLLECTORS } from './collectors/every.js';
import {
  DEFAULT_DAYS,
  type EvidenceAuditHead,
  type EvidenceAuditLog,
  type EvidenceFormat,
  type EvidenceFramework,
  type EvidenceItem,
  type EvidenceLink,
  type EvidenceQuery,
  MAX_DAYS,
} from './evidence.dto.js';
import { EvidenceRepository } from './evidence.repository.js';

/** A bundle with the same items is returned again for this time. */
const SAME_MS = 10 * 60_000;
const TYPE = 'compliance.evidence';
const MEDIA_TYPES: Record<EvidenceFormat, string> = { json: 'application/json; charset=utf-8', zip: 'application/zip' };

/** What was read for a bundle, on one snapshot. */
interface Collected {
  items: EvidenceItem[];
  auditHead: EvidenceAuditHead;
  auditLog: EvidenceAuditLog;
}

/** Bundles of compliance evidence: collected, signed, chained and stored. Each export is logged. */
@Injectable()
export class EvidenceService {
  constructor(
    private readonly repository: EvidenceRepository,
    private readonly database: Database,
    private readonly sealer: AuditSealer,
    private readonly tree: AuditTree,
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * The bundle for a period; the stored one if there is one with the same items that is less than ten minutes old.
   * @throws Problem 400 for an impossible period or an unknown previous bundle, 503 `unavailable`.
   */
  async export(query: EvidenceQuery): Promise<StreamableFile> {
    const { framework = 'all', format = 'json', from = null, to = null } = query;
    const controls = query.controls ? [...new Set(query.controls)].sort() : null;
    const at = stamp(this.clock);
    const period = periodOf(query, at);
    const previous = query.previous === undefined ? null : await this.previousOf(query.previous);
    const collectors = COLLECTORS.filter((each) => isWanted(each, framework, controls));
    if (collectors.length === 0) throw nothingFound();
    const key = await this.keys.active();
    await this.sealer.sealAll();
    const collected = await this.collect(collectors, period, at);
    const { items, ...audit } = collected;
    // Not the default period, which moves with each request.
    const content = contentHash(items, { framework, controls, from, to });
    const id = await this.database.transaction(async (transaction) => {
      await this.repository.lock(transaction);
      const since = new Date(Date.parse(at) - SAME_MS).toISOString();
      const wanted = { contentHash: content, since, previousId: previous?.id ?? null };
      const same = await this.repository.same(transaction, wanted);
      if (same !== null) return this.exported(transaction, same, { framework, format });
      const newId = uuidv7();
      const { id: tenantId, slug } = currentTenant();
      const previousBundle = previous ?? (await this.repository.last(transaction, { framework, controls }));
      const facts = { id: newId, tenant: { id: tenantId, slug }, framework, period, generatedAt: at, previousBundle };
      const bundle = bundleOf({ ...facts, ...audit }, collectors, items, key);
      this.repository.add(transaction, {
        id: newId,
        previousId: previousBundle?.id ?? null,
        framework,
        controls,
        contentHash: content,
        rootHash: bundle.manifest.rootHash,
        bundle: canonical(bundle),
        archive: await archiveOf(filesOf(bundle, collectors, key)),
        createdAt: at,
      });
      return this.exported(transaction, newId, { framework, format });
    });
    return fileOf(id, format, (await this.repository.content(id, format))!);
  }

  /** A stored bundle. @throws Problem 404. */
  async get(id: string, format: EvidenceFormat = 'json'): Promise<StreamableFile> {
    const content = await this.repository.content(id, format);
    if (!content) throw Problem.notFound();
    await this.database.transaction((transaction) => Promise.resolve(this.exported(transaction, id, { format })));
    return fileOf(id, format, content);
  }

  /** All items and the audit head, of one state of the tenant. */
  private async collect(collectors: readonly Collector[], period: Period, at: string): Promise<Collected> {
    return this.database.snapshot(async (transaction) => {
      const rows: Row[][] = await transaction.queryAll(collectors.map((each) => each.query(period)));
      const items = itemsOf(collectors, rows, period, at);
      const opening = await this.repository.opening(period.from);
      const closing = await this.tree.newest();
      const isProven = opening !== null && closing !== null && opening.size <= closing.size;
      return {
        items,
        auditHead: { seq: closing?.size ?? 0, hash: (closing?.rootHash ?? EMPTY_ROOT).toString('hex') },
        auditLog: {
          opening: opening?.note ?? null,
          closing: closing?.note ?? null,
          consistency: isProven ? hexOf(await this.tree.consistencyProof(opening.size, closing.size)) : [],
        },
      };
    });
  }

  private async previousOf(id: string): Promise<EvidenceLink> {
    const found = await this.repository.link(id);
    if (found) return found;
    const detail = 'There is no bundle with this id.';
    throw Problem.validation([{ parameter: 'previous', code: 'unknown_reference', detail }]);
  }

  /** Records that a bundle was read; returns its id. */
  private exported(transaction: Transaction, id: string, how: Record<string, string>): string {
    const changes = Object.fromEntries(Object.entries(how).map(([name, to]) => [name, { from: null, to }]));
    const target = { type: TYPE, id, name: null };
    const fact = { action: 'evidence.exported', target, outcome: 'success', riskLevel: 'medium', changes } as const;
    transaction.write(auditStatement(currentScope(), fact, stamp(this.clock)));
    return id;
  }
}

/** Whether a collector has evidence for the framework and for one of the controls, named by us or by the framework. */
function isWanted(
  { controlId, frameworks }: Collector,
  framework: EvidenceFramework,
  controls: readonly string[] | null,
): boolean {
  const asked = framework === 'all' ? FRAMEWORKS : [framework];
  const ids = asked.flatMap((each) => frameworks[each]);
  return ids.length > 0 && (controls === null || controls.some((each) => each === controlId || ids.includes(each)));
}

function nothingFound(): Problem {
  const detail = 'The framework has none of these controls.';
  return Problem.validation([{ parameter: 'controls', code: 'unknown_control', detail }]);
}

/** @throws Problem 400. */
function periodOf({ from, to = undefined }: EvidenceQuery, now: string): Period {
  const end = Date.parse(to ?? now);
  const start = from === undefined ? end - DEFAULT_DAYS * DAY_MS : Date.parse(from);
  if (end > Date.parse(now)) {
    const detail = 'The range cannot end in the future.';
    throw Problem.validation([{ parameter: 'to', code: 'in_future', detail }]);
  }
  requireRange(start, end, MAX_DAYS);
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString() };
}

function fileOf(id: string, format: EvidenceFormat, content: Buffer): StreamableFile {
  return new StreamableFile(content, {
    type: MEDIA_TYPES[format],
    disposition: `attachment; filename="evidence-${id}.${format}"`,
  });
}
