import { hash } from 'node:crypto';
import { canonical, digestOf } from '#libs/kernel/canonical.js';
import type { Row } from '#libs/database/flights/flight.js';
import type { SigningKey } from '#libs/proof/signing-keys.js';
import { type Collector, type EvidenceStatus, type Period, statusOf } from './collector.js';
import type {
  EvidenceAuditHead,
  EvidenceAuditLog,
  EvidenceBundle,
  EvidenceFramework,
  EvidenceItem,
  EvidenceLink,
  EvidenceManifest,
  EvidenceSummary,
  EvidenceTenant,
} from './evidence.dto.js';

/** What is known of a bundle besides its items. */
export interface BundleFacts {
  id: string;
  tenant: EvidenceTenant;
  framework: EvidenceFramework;
  period: Period;
  generatedAt: string;
  auditHead: EvidenceAuditHead;
  auditLog: EvidenceAuditLog;
  previousBundle: EvidenceLink | null;
}

const START = '0'.repeat(64);

export const signatureOf = (key: SigningKey, text: string): string => key.sign(Buffer.from(text)).toString('base64url');

/** Path of an item in the archive, without extension. */
export const fileOf = ({ folder, controlId }: Collector): string => `${folder}/${controlId.slice(folder.length + 1)}`;

/** The items, each chained to the one before it. @param rows of each collector */
export function itemsOf(
  collectors: readonly Collector[],
  rows: readonly (readonly Row[])[],
  period: Period,
  collectedAt: string,
): EvidenceItem[] {
  let prevHash = START;
  return collectors.map((each, index) => {
    const { controlId, control, title, type, source } = each;
    const data = each.dataOf(rows[index]!, period);
    const digest = digestOf(data);
    const chained = { prevHash, hash: hash('sha256', prevHash + digest, 'hex') };
    prevHash = chained.hash;
    return {
      controlId,
      control,
      title,
      type,
      collectedAt,
      source,
      data,
      status: statusOf(data),
      sha256: digest,
      ...chained,
    };
  });
}

/** Equal for items with the same data, whenever they were read. */
export function contentHash(items: readonly EvidenceItem[], asked: object): Buffer {
  const content = items.map(({ controlId, status, sha256: digest }) => [controlId, status, digest]);
  return hash('sha256', canonical({ asked, content }), 'buffer');
}

/** The signed bundle. */
export function bundleOf(
  facts: BundleFacts,
  collectors: readonly Collector[],
  items: EvidenceItem[],
  key: SigningKey,
): EvidenceBundle {
  const { id, tenant, framework, period, generatedAt, ...audit } = facts;
  const head = { id, tenant, framework, period, generatedAt };
  const summary = summaryOf(items);
  const manifest: EvidenceManifest = {
    formatVersion: 1,
    ...head,
    itemCount: items.length,
    rootHash: items.at(-1)?.hash ?? START,
    itemsSha256: digestOf(items),
    summarySha256: digestOf(summary),
    ...audit,
    artifacts: collectors.map((each, index) => ({
      controlId: each.controlId,
      file: fileOf(each),
      frameworks: each.frameworks,
      collectedAt: items[index]!.collectedAt,
      rowCount: items[index]!.data.total,
      querySha256: each.querySha256,
    })),
  };
  const value = signatureOf(key, canonical(manifest));
  return { ...head, items, summary, manifest, signature: { algorithm: 'Ed25519', keyId: key.kid, value } };
}

function summaryOf(items: readonly EvidenceItem[]): EvidenceSummary {
  const count = (wanted: EvidenceStatus): number => items.filter(({ status }) => status === wanted).length;
  return { total: items.length, pass: count('pass'), fail: count('fail'), notTested: count('not_tested') };
}
