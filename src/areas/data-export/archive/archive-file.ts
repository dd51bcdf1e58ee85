import { createHash } from 'node:crypto';
import { type PassThrough, Readable, Transform } from 'node:stream';
import yazl from 'yazl';
import { canonical } from '#libs/kernel/canonical.js';
import type { SigningKey } from '#libs/proof/signing-keys.js';
import type { Omission } from './archive-contents.js';

const README = `An export of data from the platform

manifest.json lists every other file with the number of its records, its size and its SHA-256. Its signature (Ed25519,
base64url) is over the RFC 8785 form of the manifest without "signature".

1. Get the public keys from the platform, over TLS:  curl -sS https://HOST/api/public/keys > keys.json
2. Run the verifier, one file of plain JavaScript for Node 20.15 or newer:  node data-export.mjs ARCHIVE.zip --key keys.json

data/      a file per type: a record in each line (NDJSON), or a table (CSV) with a header
schemas/   the JSON Schema of each of them
files/     the bytes of files, by the id of the file and the number of the version, if they were asked for
`;

/** A file in the manifest. */
export interface ManifestFile {
  path: string;
  /** Type key of what it has; null for files about the archive. */
  type: string | null;
  count: number;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
}

/** What a manifest says besides its files. */
export interface ManifestFacts {
  tenant: { id: string; slug: string };
  kind: string;
  requestId: string;
  snapshotAt: string;
  full: boolean;
  includesDeleted: boolean;
  omitted: Omission[];
}

/** A file to be written. */
export interface ArchivedFile extends Pick<ManifestFile, 'path' | 'type' | 'count'> {
  open(): Promise<Readable>;
  isCompressed: boolean;
}

/** The archive as a stream that reads its files one after the other, only as fast as it is read itself. */
export function archiveOf(files: readonly ArchivedFile[], facts: ManifestFacts, key: SigningKey): Readable {
  const zip = new yazl.ZipFile();
  const out = zip.outputStream as PassThrough; // its type names the interface alone
  zip.once('error', (error) => out.destroy(error as Error));
  const mtime = new Date(facts.snapshotAt);
  const listed: ManifestFile[] = [];
  const readme: ArchivedFile = {
    ...{ path: 'README.txt', type: null, count: 0, isCompressed: true },
    open: () => Promise.resolve(Readable.from([Buffer.from(README)])),
  };
  for (const file of [...files, readme]) {
    const { path, isCompressed } = file;
    const options = isCompressed ? { mtime, compressionLevel: 4 } : { mtime, compress: false };
    zip.addReadStreamLazy(path, options, (done) => {
      file.open().then(
        (bytes) => done(null, measured(bytes, file, listed)),
        (error: unknown) => done(error, null as never),
      );
    });
  }
  // Opened last, when all others are listed.
  zip.addReadStreamLazy('manifest.json', { mtime }, (done) => {
    done(null, Readable.from([Buffer.from(manifestOf(facts, listed, key))]));
  });
  zip.end();
  return out;
}

/** The same bytes. Once all are read, the file is listed. */
function measured(bytes: Readable, { path, type, count }: ArchivedFile, listed: ManifestFile[]): Readable {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      next(null, chunk);
    },
    flush(done) {
      listed.push({ path, type, count, sizeBytes, sha256: hash.digest('hex') });
      done();
    },
  });
  bytes.once('error', (error) => meter.destroy(error));
  return bytes.pipe(meter);
}

function manifestOf(facts: ManifestFacts, files: readonly ManifestFile[], key: SigningKey): string {
  const manifest = { formatVersion: 1, ...facts, files, keyId: key.kid };
  const signature = key.sign(Buffer.from(canonical(manifest))).toString('base64url');
  return `${JSON.stringify({ ...manifest, signature }, null, 2)}\n`;
}
