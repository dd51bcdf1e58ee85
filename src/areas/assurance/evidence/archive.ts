import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';
import type { SigningKey } from '#libs/proof/signing-keys.js';
import { csvOf } from '#libs/kernel/csv.js';
import { pageOf } from './archive-page.js';
import { canonical } from '#libs/kernel/canonical.js';
import { signatureOf } from './bundle.js';
import type { Collector } from './collector.js';
import type { EvidenceBundle } from './evidence.dto.js';

/** The earliest time that an archive can hold. In local time, as archives store it, so it is the same everywhere. */
const MTIME = new Date(1980, 0, 1);
/** Files are stored, because the output of a compressor differs between its versions. */
const ENTRY = { mtime: MTIME, mode: 0o100644, compress: false, forceDosTimestamp: true };

const NOTE = `How to verify this archive

1. Get the public keys from the platform, over TLS:  curl -sS https://HOST/api/public/keys > keys.json
2. Run the verifier, one file of plain JavaScript for Node 20.15 or newer:  node evidence.mjs ARCHIVE.zip --key keys.json

By hand:

- checksums.sha256 lists the SHA-256 of each file:  sha256sum -c checksums.sha256
- signature has two Ed25519 signatures (base64url): "checksums" over the bytes of checksums.sha256, "manifest" over the
  RFC 8785 form of manifest.json.
- The sha256 of an item is the SHA-256 of the RFC 8785 form of its data. Its hash is the SHA-256 of the text
  prevHash + sha256. The prevHash of the first item is 64 zeros; the hash of the last is rootHash in the manifest.
- itemsSha256 and summarySha256 are the SHA-256 of the RFC 8785 forms of the list of items and of the summary.
- audit/ has the checkpoints of the audit log (C2SP signed notes) and the RFC 6962 proof that it has only grown.
`;

/** Files of the archive by path; the same for the same bundle and key. @param collectors of the items, in their order */
export function filesOf(
  bundle: EvidenceBundle,
  collectors: readonly Collector[],
  key: SigningKey,
): Map<string, string> {
  const { items, manifest, signature } = bundle;
  const { opening, closing, consistency } = manifest.auditLog;
  const files = new Map<string, string>([
    ['audit/consistency.json', pretty(consistency)],
    ['audit/checkpoint-closing.txt', closing ?? ''],
    ['audit/checkpoint-opening.txt', opening ?? ''],
    ['index.html', pageOf(bundle)],
    ['manifest.json', pretty(manifest)],
    ['verification.txt', NOTE],
  ]);
  for (const [index, { file }] of manifest.artifacts.entries()) {
    files.set(`${file}.json`, pretty(items[index]));
    files.set(`${file}.csv`, csvOf([...collectors[index]!.columns, 'finding'], items[index]!.data.rows));
  }
  const checksums = [...files]
    .sort(byPath)
    .map(([path, text]) => `${hash('sha256', text, 'hex')}  ${path}\n`)
    .join('');
  const { algorithm, keyId, value } = signature;
  const signed = { algorithm, keyId, manifest: value, checksums: signatureOf(key, checksums) };
  files.set('checksums.sha256', checksums);
  files.set('signature', `${canonical(signed)}\n`);
  return new Map([...files].sort(byPath));
}

/** The bytes of the archive. */
export async function archiveOf(files: ReadonlyMap<string, string>): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [path, text] of files) zip.addBuffer(Buffer.from(text), path, ENTRY);
  zip.end();
  return buffer(zip.outputStream);
}

const byPath = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1);
const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
