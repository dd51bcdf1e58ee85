#!/usr/bin/env node
// node verify/data-export.mjs ARCHIVE.zip --key JWKS
//
// Verifies an export of data with nothing but the archive and the public keys of the platform (GET /api/public/keys):
// the signature of the manifest, and of each file its size, its SHA-256 and the number of its records. Reads each file
// piece by piece, so archives may be of any size. Prints one line and exits with 0, or prints what is wrong and where and
// exits with 1. Requires Node 20.15 or newer and no packages.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { createInflateRaw } from 'node:zlib';

const MANIFEST = 'manifest.json';
const HEAD = 'formatVersion,tenant,kind,requestId,snapshotAt,full,includesDeleted,omitted,files,keyId,signature'.split(
  ',',
);

/** What is wrong with an archive. */
class Fault extends Error {}

function check(isRight, fault) {
  if (!isRight) throw new Fault(fault);
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 8785. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value));
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(',')}}`;
}

/** The files of a ZIP archive by their path, from its directory. Knows the form for large archives (ZIP64). */
export function filesOf(path) {
  const file = openSync(path, 'r');
  const { size } = fstatSync(file);
  const bytesAt = (position, length) => {
    const bytes = Buffer.alloc(length);
    check(position >= 0 && readSync(file, bytes, 0, length, position) === length, 'the archive is cut off');
    return bytes;
  };
  const tail = bytesAt(Math.max(0, size - 65_557), Math.min(size, 65_557));
  const end = tail.lastIndexOf(Buffer.from('PK\x05\x06'));
  check(end >= 0, 'the file is no ZIP archive');
  let [count, length, start] = [tail.readUInt16LE(end + 10), tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (count === 0xffff || length === 0xffffffff || start === 0xffffffff) {
    const record = bytesAt(Number(tail.readBigUInt64LE(end - 20 + 8)), 56);
    [count, length, start] = [32, 40, 48].map((place) => Number(record.readBigUInt64LE(place)));
  }
  const directory = bytesAt(start, length);
  const files = new Map();
  for (let at = 0; at < length;) {
    check(directory.readUInt32LE(at) === 0x02014b50, 'the directory of the archive is broken');
    const method = directory.readUInt16LE(at + 10);
    const [nameLength, extraLength, noteLength] = [28, 30, 32].map((place) => directory.readUInt16LE(at + place));
    const name = directory.toString('utf8', at + 46, at + 46 + nameLength);
    const extra = directory.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
    const found = placesOf(directory, at, extra);
    check(!files.has(name), `${name}: occurs twice`);
    check(method === 0 || method === 8, `${name}: compressed in a way that this verifier does not know`);
    files.set(name, { ...found, read: () => contentOf(path, bytesAt, method, found) });
    at += 46 + nameLength + extraLength + noteLength;
  }
  check(files.size === count, 'the directory of the archive is broken');
  return files;
}

/** Sizes and offset of a file; those that do not fit stand in the extra field, in this order. */
function placesOf(directory, at, extra) {
  const values = {
    size: directory.readUInt32LE(at + 24),
    stored: directory.readUInt32LE(at + 20),
    offset: directory.readUInt32LE(at + 42),
  };
  for (let place = 0; place + 4 <= extra.length; place += 4 + extra.readUInt16LE(place + 2)) {
    if (extra.readUInt16LE(place) !== 1) continue;
    let next = place + 4;
    for (const name of ['size', 'stored', 'offset']) {
      if (values[name] !== 0xffffffff) continue;
      values[name] = Number(extra.readBigUInt64LE(next));
      next += 8;
    }
  }
  return values;
}

function contentOf(path, bytesAt, method, { offset, stored }) {
  const local = bytesAt(offset, 30);
  const start = offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
  const raw = stored === 0 ? new PassThrough().end() : createReadStream(path, { start, end: start + stored - 1 });
  return method === 0 ? raw : raw.pipe(createInflateRaw());
}

async function textOf(file) {
  const pieces = [];
  for await (const piece of file.read()) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

/** Counts the records of a file: lines of NDJSON, rows of CSV without the header, or one for the bytes of a file. */
function counterOf(path) {
  if (path.endsWith('.ndjson') && path.startsWith('data/')) return linesOf();
  if (path.endsWith('.csv') && path.startsWith('data/')) return rowsOf();
  const isContent = path.startsWith('files/');
  return { add() {}, end: () => (isContent ? 1 : 0) };
}

function linesOf() {
  let count = 0;
  return {
    add(bytes) {
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++;
    },
    end: () => count,
  };
}

/** Line breaks inside quotes are no ends of rows. */
function rowsOf() {
  let [count, isQuoted] = [0, false];
  return {
    add(bytes) {
      for (const byte of bytes) {
        if (byte === 34) isQuoted = !isQuoted;
        else if (byte === 10 && !isQuoted) count++;
      }
    },
    end: () => count - 1,
  };
}

function verifyManifest(manifest, keys) {
  check(
    isObject(manifest) && canonical(Object.keys(manifest).sort()) === canonical([...HEAD].sort()),
    `${MANIFEST}: its members are others`,
  );
  check(manifest.formatVersion === 1, `${MANIFEST}: its format is not known to this verifier`);
  const { signature, ...signed } = manifest;
  const key = keys.find(({ kid }) => kid === manifest.keyId);
  check(key, `${MANIFEST}: the key ${manifest.keyId} is not among the keys`);
  const bytes = Buffer.from(String(signature), 'base64url');
  check(bytes.toString('base64url') === signature, `${MANIFEST}: its signature is not base64url`);
  check(isSignedBy(key, Buffer.from(canonical(signed)), bytes), `${MANIFEST}: its signature is wrong`);
}

function isSignedBy({ kty, crv, x }, bytes, signature) {
  try {
    return verify(null, bytes, createPublicKey({ key: { kty, crv, x }, format: 'jwk' }), signature);
  } catch {
    return false;
  }
}

/** Verifies an archive; returns the line to print. @throws Fault */
export async function verifyDataExport(path, jwks) {
  check(isObject(jwks) && Array.isArray(jwks.keys), 'the keys are not a JWK set');
  const files = filesOf(path);
  check(files.has(MANIFEST), `${MANIFEST}: missing`);
  const manifest = parse(await textOf(files.get(MANIFEST)), MANIFEST);
  verifyManifest(manifest, jwks.keys.filter(isObject));
  const listed = new Set(manifest.files.map((file) => file.path));
  for (const name of files.keys()) check(listed.has(name) || name === MANIFEST, `${name}: not in the manifest`);
  let records = 0;
  for (const { path: name, type, count, sizeBytes, sha256 } of manifest.files) {
    check(files.has(name), `${name}: missing`);
    const hash = createHash('sha256');
    const counter = counterOf(name);
    let size = 0;
    try {
      for await (const bytes of files.get(name).read()) {
        hash.update(bytes);
        counter.add(bytes);
        size += bytes.length;
      }
    } catch (error) {
      throw new Fault(`${name}: cannot be read (${error.message})`);
    }
    check(size === sizeBytes, `${name}: ${size} bytes instead of ${sizeBytes}`);
    check(hash.digest('hex') === sha256, `${name}: it was changed`);
    const found = counter.end();
    check(found === count, `${name}: ${found} records instead of ${count}`);
    if (type !== null && name.startsWith('data/')) records += count;
  }
  const { tenant, kind, snapshotAt } = manifest;
  return `OK: ${records} records in ${manifest.files.length} files, ${kind} of ${tenant.slug} at ${snapshotAt}`;
}

function parse(text, place) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault(`${place}: not JSON`);
  }
}

/** How to call the verifier. */
class Usage extends Error {}

async function main(args) {
  if (args.length !== 3 || args[1] !== '--key') throw new Usage('data-export.mjs ARCHIVE.zip --key JWKS');
  return verifyDataExport(args[0], parse(readFileSync(args[2], 'utf8'), args[2]));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    console.log(await main(process.argv.slice(2)));
  } catch (error) {
    console.error(`${error instanceof Usage ? 'usage' : 'NOT VERIFIED'}: ${error.message}`);
    process.exitCode = error instanceof Usage ? 2 : 1;
  }
}
