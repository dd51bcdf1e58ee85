#!/usr/bin/env node
// node verify/evidence.mjs FILE... --key JWKS
//
// Verifies bundles of compliance evidence (json or zip) with nothing but the files and the public keys of the platform
// (GET /api/public/keys). With several files, each must be chained to the one before it. Prints one line and exits with
// 0, or prints what is wrong and where and exits with 1. Requires Node 20.15 or newer and no packages.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { TextDecoder } from 'node:util';
import { crc32 } from 'node:zlib';

const ORIGIN = 'tenant-operating-platform/';
const HEX = /^[0-9a-f]{64}$/;
const START = '0'.repeat(64);
/** Members of a bundle that its manifest repeats. */
const HEAD = ['id', 'tenant', 'framework', 'period', 'generatedAt'];
const BUNDLE = [...HEAD, 'items', 'summary', 'manifest', 'signature'];
const ITEM = 'controlId,control,title,type,collectedAt,source,data,status,sha256,prevHash,hash'.split(',');
const UNLISTED = ['checksums.sha256', 'signature'];

/** What is wrong with a bundle. */
class Fault extends Error {}

function check(isRight, fault) {
  if (!isRight) throw new Fault(fault);
}

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const hexOf = (...parts) => sha256(...parts).toString('hex');
const nodeHash = (left, right) => sha256(Buffer.from([1]), left, right);
const same = (a, b) => canonical(a) === canonical(b);
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const hasOnly = (value, names) => isObject(value) && same(Object.keys(value).sort(), [...names].sort());

/** RFC 8785. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value));
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(',')}}`;
}

function textOf(bytes, place) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Fault(`${place}: not UTF-8`);
  }
}

function parse(text, place) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault(`${place}: not JSON`);
  }
}

/** Verifies a bundle; returns its manifest. @throws Fault */
export function verifyEvidence(file, jwks) {
  check(isObject(jwks) && Array.isArray(jwks.keys), 'the keys are not a JWK set');
  const keys = jwks.keys.filter(isObject);
  return file.subarray(0, 4).equals(LOCAL) ? verifyArchive(file, keys) : verifyJson(file, keys);
}

function verifyJson(file, keys) {
  const text = textOf(file, 'the file');
  const bundle = parse(text, 'the file');
  check(hasOnly(bundle, BUNDLE), 'the file: not a bundle of evidence');
  const { items, summary, manifest, signature } = bundle;
  verifyManifest(manifest, signature, keys);
  for (const name of HEAD) check(same(bundle[name], manifest[name]), `${name}: not that of the manifest`);
  verifyItems(items, manifest);
  check(same(summary, summaryOf(items)), 'summary: not that of the items');
  // Also finds changes that do not change the meaning, such as another notation of the same character.
  check(canonical(bundle) === text, 'the file: the same content in another notation; verify the file as it was sent');
  return manifest;
}

function verifyManifest(manifest, signature, keys) {
  check(isObject(manifest), 'manifest: missing');
  check(manifest.formatVersion === 1, 'manifest: its format is not known to this verifier');
  check(hasOnly(signature, ['algorithm', 'keyId', 'value']), 'signature: missing');
  verifySignature(signature, canonical(manifest), signature.value, keys, 'manifest');
  verifyAudit(manifest, keys);
}

function verifySignature({ algorithm, keyId }, text, value, keys, what) {
  check(algorithm === 'Ed25519', 'signature: the algorithm is not Ed25519');
  const key = keys.find(({ kid }) => kid === keyId);
  check(key, `signature: the key ${keyId} is not among the keys`);
  const bytes = Buffer.from(String(value), 'base64url');
  check(bytes.toString('base64url') === value, `signature: that of ${what} is not base64url`);
  check(isSignedBy(key, Buffer.from(text), bytes), `signature: that of ${what} is wrong`);
}

function isSignedBy({ kty, crv, x }, bytes, signature) {
  try {
    return verify(null, bytes, createPublicKey({ key: { kty, crv, x }, format: 'jwk' }), signature);
  } catch {
    return false;
  }
}

function verifyItems(items, manifest) {
  check(Array.isArray(items), 'items: missing');
  check(items.length === manifest.itemCount, `items: ${items.length} instead of ${manifest.itemCount}`);
  let prevHash = START;
  for (const [index, item] of items.entries()) {
    const place = `item ${index + 1} (${String(item?.controlId)})`;
    check(hasOnly(item, ITEM), `${place}: its members are not those of an item`);
    check(item.controlId === manifest.artifacts[index]?.controlId, `${place}: not the item that the manifest lists`);
    check(hexOf(canonical(item.data)) === item.sha256, `${place}: sha256 is not that of its data`);
    check(item.prevHash === prevHash, `${place}: prevHash is not the hash of the item before it`);
    check(hexOf(prevHash + item.sha256) === item.hash, `${place}: hash is wrong`);
    prevHash = item.hash;
  }
  check(prevHash === manifest.rootHash, 'items: they do not lead to rootHash');
  check(hexOf(canonical(items)) === manifest.itemsSha256, 'items: a status or description was changed');
  check(hexOf(canonical(summaryOf(items))) === manifest.summarySha256, 'summary: not that of the items');
}

function summaryOf(items) {
  const count = (wanted) => items.filter(({ status }) => status === wanted).length;
  return { total: items.length, pass: count('pass'), fail: count('fail'), notTested: count('not_tested') };
}

/** The checkpoints are signed, and the log has only grown between them. */
function verifyAudit({ tenant, auditHead, auditLog }, keys) {
  const { opening, closing, consistency } = auditLog;
  const head = { size: auditHead.seq, root: auditHead.hash };
  if (closing === null) return check(head.size === 0 && opening === null, 'auditLog: closing is missing');
  check(same(checkpointOf(closing, tenant.id, keys, 'closing'), head), 'auditHead: not that of the closing checkpoint');
  if (opening === null) return undefined;
  const older = checkpointOf(opening, tenant.id, keys, 'opening');
  return check(isPrefix(older, head, consistency), 'auditLog: the log has not only grown since the opening checkpoint');
}

/** C2SP signed-note and tlog-checkpoint. */
function checkpointOf(note, tenantId, keys, name) {
  const [body, signatures, ...rest] = String(note).split('\n\n');
  const [origin, size, root, ...more] = body.split('\n');
  check(signatures && rest.length === 0 && more.length === 0, `${name} checkpoint: not a checkpoint`);
  check(origin === ORIGIN + tenantId, `${name} checkpoint: of another log`);
  const isSigned = signatures.split('\n').some((line) => {
    const [, signer, text] = /^— (\S+) (\S+)$/.exec(line) ?? [];
    if (signer !== origin) return false;
    const signed = Buffer.from(text, 'base64');
    return keys.some((key) => {
      const id = sha256(`${signer}\n`, Buffer.from([1]), Buffer.from(String(key.x), 'base64url')).subarray(0, 4);
      return id.equals(signed.subarray(0, 4)) && isSignedBy(key, Buffer.from(`${body}\n`), signed.subarray(4));
    });
  });
  check(isSigned, `${name} checkpoint: none of the keys has signed it`);
  return { size: Number(size), root: Buffer.from(root, 'base64').toString('hex') };
}

/** RFC 9162 section 2.1.4.2. */
function isPrefix(older, newer, hashes) {
  if (older.size > newer.size || !Array.isArray(hashes) || !hashes.every((hash) => HEX.test(hash))) return false;
  if (older.size === newer.size) return older.root === newer.root && hashes.length === 0;
  const path = hashes.map((hash) => Buffer.from(hash, 'hex'));
  const half = (number) => Math.floor(number / 2);
  if (Number.isInteger(Math.log2(older.size))) path.unshift(Buffer.from(older.root, 'hex'));
  if (path.length === 0) return false;
  let [fn, sn] = [older.size - 1, newer.size - 1];
  while (fn % 2 === 1) [fn, sn] = [half(fn), half(sn)];
  let [fr, sr] = [path[0], path[0]];
  for (const hash of path.slice(1)) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      [fr, sr] = [nodeHash(hash, fr), nodeHash(hash, sr)];
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else sr = nodeHash(sr, hash);
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && fr.toString('hex') === older.root && sr.toString('hex') === newer.root;
}

function verifyArchive(archive, keys) {
  const files = filesOf(archive);
  const read = (path) => {
    check(files.has(path), `${path}: missing`);
    return textOf(files.get(path), path);
  };
  const signatures = parse(read('signature'), 'signature');
  check(hasOnly(signatures, ['algorithm', 'keyId', 'manifest', 'checksums']), 'signature: its members are others');
  check(`${canonical(signatures)}\n` === read('signature'), 'signature: in another notation');
  const { algorithm, keyId, manifest: value, checksums } = signatures;
  verifySignature(signatures, read('checksums.sha256'), checksums, keys, 'checksums.sha256');
  verifyChecksums(read('checksums.sha256'), files);
  const manifest = parse(read('manifest.json'), 'manifest.json');
  verifyManifest(manifest, { algorithm, keyId, value }, keys);
  const items = manifest.artifacts.map(({ file }) => parse(read(`${file}.json`), `${file}.json`));
  verifyItems(items, manifest);
  const { opening, closing, consistency } = manifest.auditLog;
  check(
    read('audit/checkpoint-opening.txt') === (opening ?? ''),
    'audit/checkpoint-opening.txt: not that of the manifest',
  );
  check(
    read('audit/checkpoint-closing.txt') === (closing ?? ''),
    'audit/checkpoint-closing.txt: not that of the manifest',
  );
  const shown = parse(read('audit/consistency.json'), 'audit/consistency.json');
  check(same(shown, consistency), 'audit/consistency.json: not that of the manifest');
  verifyBytes(archive, files);
  return manifest;
}

function verifyChecksums(text, files) {
  const listed = new Map();
  for (const line of text.split('\n').slice(0, -1)) {
    const [, digest, path] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? [];
    check(path, 'checksums.sha256: a line is not a checksum');
    listed.set(path, digest);
  }
  for (const [path, digest] of listed) {
    check(files.has(path), `${path}: missing`);
    check(hexOf(files.get(path)) === digest, `${path}: it was changed`);
  }
  for (const path of files.keys())
    check(listed.has(path) || UNLISTED.includes(path), `${path}: not in checksums.sha256`);
}

const LOCAL = Buffer.from('PK\x03\x04');

/** Files of an archive whose files are stored without compression, one after the other. */
function filesOf(archive) {
  const files = new Map();
  let at = 0;
  while (archive.subarray(at, at + 4).equals(LOCAL)) {
    const place = `the archive at byte ${at}`;
    check(at + 30 <= archive.length, `${place}: cut off`);
    const [size, nameLength] = [archive.readUInt32LE(at + 18), archive.readUInt16LE(at + 26)];
    const start = at + 30 + nameLength;
    check(start + size <= archive.length, `${place}: cut off`);
    const path = textOf(archive.subarray(at + 30, start), place);
    check(!files.has(path), `${path}: occurs twice`);
    files.set(path, archive.subarray(start, start + size));
    at = start + size;
  }
  return files;
}

/** Everything around the files has fixed values, so an archive of the same files is the same bytes. */
function verifyBytes(archive, files) {
  const [locals, central] = [[], []];
  let offset = 0;
  for (const [path, bytes] of files) {
    const name = Buffer.from(path);
    // Version, flag for UTF-8, no compression, 1980-01-01 00:00, checksum, sizes, length of the name, no extra fields.
    const common = packed(
      [2, 20],
      [2, 0x800],
      [2, 0],
      [2, 0],
      [2, 33],
      [4, crc32(bytes)],
      [4, bytes.length],
      [4, bytes.length],
      [2, name.length],
      [2, 0],
    );
    const local = Buffer.concat([LOCAL, common, name, bytes]);
    // Made on Unix with version 6.3; no comment, first disk, mode 100644.
    const rest = packed([2, 0], [2, 0], [2, 0], [4, 0o100644 * 0x10000], [4, offset]);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02'), packed([2, 0x33f]), common, rest, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const counts = packed([2, 0], [2, 0], [2, files.size], [2, files.size], [4, directory.length], [4, offset], [2, 0]);
  const expected = Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), counts]);
  if (expected.equals(archive)) return;
  let at = 0;
  while (at < archive.length && archive[at] === expected[at]) at++;
  throw new Fault(`the archive at byte ${at}: not as it was written`);
}

/** Numbers in little-endian order, each with its size in bytes. */
function packed(...numbers) {
  return Buffer.concat(
    numbers.map(([size, number]) => {
      const bytes = Buffer.alloc(size);
      bytes.writeUIntLE(number, 0, size);
      return bytes;
    }),
  );
}

/** Verifies bundles, each chained to the one before it; returns the line to print. @throws Fault */
export function verifyChain(files, jwks) {
  let before = null;
  let line = '';
  for (const { name, bytes } of files) {
    const manifest = placed(name, files.length, () => verifyEvidence(bytes, jwks));
    const { id, period, itemCount, rootHash, previousBundle } = manifest;
    const link = before && { id: before.id, rootHash: before.rootHash };
    check(before === null || same(previousBundle, link), `${name}: not chained to the bundle before it`);
    line = `OK: ${itemCount} items for ${period.from} to ${period.to}, bundle ${id}, root ${rootHash}`;
    before = manifest;
  }
  return files.length === 1 ? line : `${line}, the last of ${files.length} chained bundles`;
}

function placed(name, count, work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof Fault) throw count === 1 ? error : new Fault(`${name}: ${error.message}`);
    throw new Fault(`${name}: not a bundle of evidence (${error.message})`);
  }
}

/** How to call the verifier. */
class Usage extends Error {}

function main(args) {
  const option = args.indexOf('--key');
  const names = args.slice(0, option);
  if (option < 1 || args.length !== option + 2) throw new Usage('evidence.mjs FILE... --key JWKS');
  const jwks = parse(readFileSync(args[option + 1], 'utf8'), args[option + 1]);
  return verifyChain(
    names.map((name) => ({ name, bytes: readFileSync(name) })),
    jwks,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    console.log(main(process.argv.slice(2)));
  } catch (error) {
    console.error(`${error instanceof Usage ? 'usage' : 'NOT VERIFIED'}: ${error.message}`);
    process.exitCode = error instanceof Usage ? 2 : 1;
  }
}
