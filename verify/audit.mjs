#!/usr/bin/env node
// node verify/audit.mjs FILE --key JWKS
// node verify/audit.mjs FILE --entries
//
// Verifies an export of the audit log (json, ndjson or csv) with nothing but the file and the public keys of the platform
// (GET /api/public/keys). Prints one line and exits with 0, or says what is wrong and where and exits with 1. Usage errors exit
// with 2.
// With `--entries`, verifies ndjson lines without a manifest, as a stream delivers them: hashes and commitments only.
// Needs Node 20 or newer and no packages. Reads ndjson and csv line by line, but json whole: use ndjson or csv for exports
// of more than a few hundred thousand entries.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { TextDecoder } from 'node:util';

const ORIGIN = 'tenant-operating-platform/';
const HEX = /^[0-9a-f]{64}$/;
const MANIFEST = 'count,firstSeq,lastSeq,tree,checkpoint,rangeProof,sha256,entriesSha256,keyId,signature'.split(',');
/** What an entry shows of its canonical text. */
const SHOWN = [
  'id',
  'occurredAt',
  'actor',
  'action',
  'outcome',
  'riskLevel',
  'workspaceId',
  'requestId',
  'correlationId',
];

/** How to call the verifier. */
class Usage extends Error {}

/** What is wrong with an export. */
class Fault extends Error {}

const check = (holds, fault) => {
  if (!holds) throw new Fault(fault);
};

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const leafHash = (text) => sha256(Buffer.from([0]), text);
const nodeHash = (left, right) => sha256(Buffer.from([1]), left, right);
const same = (a, b) => canonical(a) === canonical(b);

/** RFC 8785. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(',')}}`;
}

/** Verifies an export that is read item by item: entries, and at the end the manifest. @throws Fault */
export async function verifyExport(items, jwks) {
  check(Array.isArray(jwks?.keys), 'the keys are not a JWK set');
  const state = newState();
  let manifest = null;
  for await (const item of items) {
    check(manifest === null, 'something follows the manifest');
    if (item.manifest) manifest = item.manifest;
    else addToExport(state, item.entry, item.place);
  }
  check(manifest !== null, 'there is no manifest: the file is not complete');
  verifyManifest(state, manifest, jwks.keys);
  const { size } = manifest.tree;
  const span = state.count === 0 ? '' : ` (${state.firstSeq} to ${state.lastSeq})`;
  const gaps = size === 0 || manifest.rangeProof ? '' : '; filtered: that no entry is missing is not proven';
  return `OK: ${state.count} entries${span} of a log of ${size}, signed by ${manifest.keyId}${gaps}`;
}

/** Verifies entries without a manifest, in any order and also repeated. @throws Fault */
export async function verifyEntries(items) {
  const leaves = new Map();
  const state = { tenantId: null };
  for await (const { manifest, entry, place } of items) {
    check(!manifest, 'there is a manifest: verify the file with --key');
    verifyEntry(state, entry, place);
    const { seq } = entry;
    check((leaves.get(seq) ?? entry.leafHash) === entry.leafHash, `${place}: another entry has the same number`);
    leaves.set(seq, entry.leafHash);
  }
  check(leaves.size > 0, 'there are no entries');
  return `OK: ${leaves.size} entries match their leaf hashes and commitments; completeness and signature are not proven`;
}

const newState = () => ({
  ...{ leaves: [], firstSeq: null, lastSeq: null, tenantId: null, proofs: [], count: 0 },
  ...{ canonical: createHash('sha256'), entries: createHash('sha256') },
});

/** An entry against its own hash and commitments. */
function verifyEntry(state, entry, place) {
  const at = `${place}: `;
  check(isObject(entry), `${at}it is not an entry`);
  const { seq } = entry;
  check(Number.isSafeInteger(seq) && seq > 0, `${at}seq is not the number of an entry`);
  check(typeof entry.canonical === 'string', `${at}canonical is missing`);
  check(leafHash(entry.canonical).toString('hex') === entry.leafHash, `${at}leafHash is not that of canonical`);
  const stored = parse(entry.canonical, `${at}canonical`);
  check(isObject(stored), `${at}canonical is not an object`);
  for (const name of SHOWN)
    check(same(entry[name] ?? null, stored[name] ?? null), `${at}${name} is not that of canonical`);
  check(same(entry.allowedBy, stored.allowedBy ?? []), `${at}allowedBy is not that of canonical`);
  const target = entry.target && { type: entry.target.type, id: entry.target.id };
  check(same(target ?? null, stored.target ?? null), `${at}target is not that of canonical`);
  verifyCommitments(entry, stored, at);
  state.tenantId ??= stored.tenantId;
  check(stored.tenantId === state.tenantId, `${at}it belongs to another tenant`);
}

function addToExport(state, entry, place) {
  const at = `${place}: `;
  verifyEntry(state, entry, place);
  const { seq } = entry;
  check(state.lastSeq === null || seq > state.lastSeq, `${at}its number does not follow`);
  state.firstSeq ??= seq;
  state.lastSeq = seq;
  state.count++;
  state.leaves.push(Buffer.from(entry.leafHash, 'hex'));
  state.proofs.push(entry.proof ? { proof: entry.proof, seq, at } : null);
  state.canonical.update(`${entry.canonical}\n`);
  state.entries.update(`${canonical(entry)}\n`);
}

/** What stands beside the stored text was committed to in it, each part with a salt of its own. */
function verifyCommitments(entry, stored, at) {
  const { clientIp, userAgent, contextSalt, detailsSalt, target, reason, changes, erasedAt } = entry;
  const holds = (salt, text, commitment) =>
    typeof salt === 'string' && sha256(Buffer.from(salt, 'hex'), text).toString('hex') === commitment;
  const context = JSON.stringify([clientIp, userAgent]);
  check(
    contextSalt === null || holds(contextSalt, context, stored.contextCommitment),
    `${at}clientIp or userAgent is not what was stored`,
  );
  const details = JSON.stringify({ targetName: target?.name ?? null, reason, changes });
  if (detailsSalt === null) check(erasedAt !== null, `${at}the salt of its details is missing, and nothing was erased`);
  else
    check(
      holds(detailsSalt, details, stored.detailsCommitment),
      `${at}target.name, reason or changes is not what was stored`,
    );
}

function verifyManifest(state, manifest, keys) {
  check(
    isObject(manifest) && same(Object.keys(manifest).sort(), [...MANIFEST].sort()),
    'manifest: its members are others',
  );
  const { signature, ...signed } = manifest;
  const key = keys.find(({ kid }) => kid === manifest.keyId);
  check(key, `manifest: the key ${manifest.keyId} is not among the keys`);
  const bytes = Buffer.from(String(signature), 'base64url');
  check(bytes.toString('base64url') === signature, 'manifest: signature is not base64url');
  check(isSignedBy(key, Buffer.from(canonical(signed)), bytes), 'manifest: the signature does not hold');
  check(manifest.count === state.count, `manifest: count is ${manifest.count}, but there are ${state.count} entries`);
  check(manifest.firstSeq === state.firstSeq && manifest.lastSeq === state.lastSeq, 'manifest: entries are missing');
  check(manifest.sha256 === state.canonical.digest('hex'), 'manifest: sha256 is not that of the entries');
  check(manifest.entriesSha256 === state.entries.digest('hex'), 'manifest: entriesSha256 is not that of the entries');
  const { size, rootHash } = manifest.tree;
  if (manifest.checkpoint === null) return check(size === 0 && state.count === 0, 'manifest: there is no checkpoint');
  verifyCheckpoint(manifest, state.tenantId, keys);
  const root = Buffer.from(rootHash, 'hex');
  if (manifest.rangeProof) {
    check(
      state.proofs.every((proof) => proof === null),
      'manifest: rangeProof is there beside proofs of entries',
    );
    verifyRange(state, manifest.rangeProof, size, root);
  } else for (const [index, found] of state.proofs.entries()) verifyInclusion(found, state.leaves[index], size, root);
}

/** C2SP signed-note and tlog-checkpoint. */
function verifyCheckpoint({ checkpoint, tree: { size, rootHash } }, tenantId, keys) {
  const [body, signatures, ...rest] = String(checkpoint).split('\n\n');
  check(signatures !== undefined && rest.length === 0, 'checkpoint: it is not a signed note');
  const [origin, sizeText, rootText, ...more] = body.split('\n');
  check(more.length === 0 && origin.startsWith(ORIGIN), 'checkpoint: it is not a checkpoint');
  check(tenantId === null || origin === ORIGIN + tenantId, 'checkpoint: it is of another tenant');
  check(sizeText === String(size), 'checkpoint: it is of a tree of another size');
  check(rootText === Buffer.from(rootHash, 'hex').toString('base64'), 'checkpoint: it has another root');
  const text = Buffer.from(`${body}\n`);
  const isSigned = signatures.split('\n').some((line) => {
    const [, name, signature] = /^— (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== origin) return false;
    const signed = Buffer.from(signature, 'base64');
    return keys.some((key) => {
      const publicKey = Buffer.from(String(key.x), 'base64url');
      const id = sha256(`${name}\n`, Buffer.from([1]), publicKey).subarray(0, 4);
      return id.equals(signed.subarray(0, 4)) && isSignedBy(key, text, signed.subarray(4));
    });
  });
  check(isSigned, 'checkpoint: none of the keys has signed it');
}

function isSignedBy({ kty, crv, x }, bytes, signature) {
  try {
    return verify(null, bytes, createPublicKey({ key: { kty, crv, x }, format: 'jwk' }), signature);
  } catch {
    return false;
  }
}

/** Subtrees left of the run, its leaves and the subtrees right of it make up the whole tree. */
function verifyRange({ leaves, firstSeq, lastSeq, count }, { before, after }, size, root) {
  check(count > 0 && lastSeq - firstSeq + 1 === count, 'manifest: numbers are missing between the first and the last');
  const hashes = (list, levels, name) => {
    check(
      Array.isArray(list) && list.length === levels.length && list.every((hash) => HEX.test(hash)),
      `rangeProof: ${name} is not as it must be`,
    );
    return list.map((hash, index) => ({ level: levels[index], hash: Buffer.from(hash, 'hex') }));
  };
  const stack = [];
  const push = (node) => {
    let own = node;
    while (stack.length > 0 && stack.at(-1).level === own.level)
      own = { level: own.level + 1, hash: nodeHash(stack.pop().hash, own.hash) };
    stack.push(own);
  };
  hashes(before, levelsOf(0, firstSeq - 1), 'before').forEach(push);
  for (const hash of leaves) push({ level: 0, hash });
  hashes(after, levelsOf(lastSeq, size), 'after').forEach(push);
  const found = stack.map(({ hash }) => hash).reduceRight((right, left) => nodeHash(left, right));
  check(found.equals(root), 'rangeProof: the entries do not lead to the root: one was changed, added or removed');
}

/** Levels of the complete subtrees that make up the leaves from one place to another, from left to right. */
function levelsOf(from, to) {
  const levels = [];
  for (let at = from; at < to; at += 2 ** levels.at(-1)) {
    let level = 0;
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= to) level++;
    levels.push(level);
  }
  return levels;
}

/** RFC 9162 section 2.1.3.2. */
function verifyInclusion(found, leaf, size, root) {
  check(found !== null, 'an entry has no proof');
  const { proof, seq, at } = found;
  const { leafIndex, treeSize, rootHash, hashes } = proof;
  check(leafIndex === seq - 1, `${at}its proof is of another entry`);
  check(treeSize === size && rootHash === root.toString('hex'), `${at}its proof is of another tree`);
  check(Array.isArray(hashes) && hashes.every((hash) => HEX.test(hash)), `${at}its proof has no hashes`);
  let [fn, sn, r] = [leafIndex, size - 1, leaf];
  for (const hash of hashes) {
    check(sn !== 0, `${at}its proof is too long`);
    const p = Buffer.from(hash, 'hex');
    if (fn % 2 === 1 || fn === sn) {
      r = nodeHash(p, r);
      for (; fn % 2 === 0 && fn !== 0; sn = Math.floor(sn / 2)) fn = Math.floor(fn / 2);
    } else r = nodeHash(r, p);
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  check(sn === 0 && r.equals(root), `${at}its proof does not lead to the root`);
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function parse(text, place) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault(`${place} is not JSON`);
  }
}

/** The items of an export in any of its formats, from chunks of its bytes. */
export async function* itemsOf(chunks) {
  const pieces = textOf(chunks);
  let start = '';
  for (let next; start.length < 12 && !(next = await pieces.next()).done;) start += next.value;
  const all = (async function* () {
    yield start;
    yield* pieces;
  })();
  if (start.startsWith('{"entries":')) yield* itemsOfJson(all);
  else if (start.startsWith('{')) yield* itemsOfLines(all);
  else yield* itemsOfCsv(all);
}

async function* textOf(chunks) {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = (chunk, options) => {
    try {
      return decoder.decode(chunk, options);
    } catch {
      throw new Fault('the file is not UTF-8');
    }
  };
  for await (const chunk of chunks) yield decode(chunk, { stream: true });
  yield decode(new Uint8Array());
}

async function* itemsOfJson(pieces) {
  let text = '';
  for await (const piece of pieces) text += piece;
  const whole = parse(text, 'the file');
  check(
    Array.isArray(whole.entries) && same(Object.keys(whole).sort(), ['entries', 'manifest']),
    'the file is not an export',
  );
  for (const [index, entry] of whole.entries.entries()) yield { entry, place: `entry ${index + 1}` };
  yield { manifest: whole.manifest };
}

async function* itemsOfLines(pieces) {
  let number = 0;
  for await (const line of split(pieces, '\n')) {
    const place = `line ${++number}`;
    const item = parse(line, place);
    check(isObject(item), `${place} is not an object`);
    if (Object.keys(item).length === 1 && 'manifest' in item) yield { manifest: item.manifest };
    else yield { entry: item, place };
  }
}

/** Pieces of text cut at an end of line, which the last one has too. */
async function* split(pieces, end) {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split(end);
    rest = lines.pop();
    yield* lines;
  }
  check(rest === '', 'the last line is cut off');
}

const COLUMNS =
  'seq,id,occurredAt,actorType,actorId,actorName,allowedBy,action,targetType,targetId,targetName,outcome,riskLevel,reason,changes,workspaceId,requestId,correlationId,clientIp,userAgent,erasedAt,leafHash,contextSalt,detailsSalt,proof,canonical';
/** As exported by earlier versions. */
const EARLIER = COLUMNS.replace('workspaceId,', '').replace('correlationId,', '');
const PREFIX = '#manifest ';

async function* itemsOfCsv(pieces) {
  let number = 0;
  let names = [];
  let record = '';
  for await (const line of split(pieces, '\r\n')) {
    record += record === '' ? line : `\r\n${line}`;
    if (number > 0 && record.startsWith(PREFIX)) {
      yield { manifest: parse(record.slice(PREFIX.length), 'manifest') };
    } else {
      if ((record.match(/"/g) ?? []).length % 2 === 1) continue; // the line ends within quotes
      const place = `record ${number}`;
      if (number > 0) yield { entry: entryOf(names, cellsOf(record, place), place), place };
      else check(record === COLUMNS || record === EARLIER, 'the file is not an export');
      if (number === 0) names = record.split(',');
    }
    number++;
    record = '';
  }
  check(record === '', 'the last record is cut off');
}

/** Cells of a record: null where there is nothing. */
function cellsOf(record, place) {
  const cells = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|$)/y;
  for (let more = true; more;) {
    const found = cell.exec(record);
    check(found, `${place} is not as RFC 4180 says`);
    const [, quoted, plain, comma] = found;
    const text = quoted === undefined ? plain : quoted.replaceAll('""', '"');
    cells.push(quoted === undefined && plain === '' ? null : text.startsWith("'") ? text.slice(1) : text);
    more = comma === ',';
  }
  check(cell.lastIndex === record.length, `${place} is not as RFC 4180 says`);
  return cells;
}

function entryOf(names, cells, place) {
  check(cells.length === names.length, `${place} has ${cells.length} cells instead of ${names.length}`);
  const cell = Object.fromEntries(names.map((name, index) => [name, cells[index]]));
  const json = (name) => (cell[name] === null ? null : parse(cell[name], `${place}: ${name}`));
  check(/^[1-9]\d*$/.test(cell.seq), `${place}: seq is not a number`);
  const { actorType, actorId, actorName, targetType, targetId, targetName, proof, ...rest } = cell;
  const entry = {
    ...rest,
    seq: Number(cell.seq),
    actor: { type: actorType, id: actorId, name: actorName },
    allowedBy: json('allowedBy'),
    target: targetType === null ? null : { type: targetType, id: targetId, name: targetName },
    changes: json('changes'),
  };
  return proof === null ? entry : { ...entry, proof: json('proof') };
}

async function main([file, option, keyFile, ...rest]) {
  const isUsed = option === '--entries' ? !keyFile : option === '--key' && keyFile && rest.length === 0;
  if (!file || !isUsed)
    throw new Usage(
      'audit.mjs FILE --key JWKS (FILE is json, ndjson or csv; json is read into memory as a whole), or audit.mjs FILE --entries (FILE has entries from a stream, one per line)',
    );
  if (option === '--entries') return verifyEntries(itemsOf(createReadStream(file)));
  const jwks = parse(readFileSync(keyFile, 'utf8'), keyFile);
  return verifyExport(itemsOf(createReadStream(file)), jwks);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  main(process.argv.slice(2)).then(
    (line) => console.log(line),
    (error) => {
      console.error(`${error instanceof Usage ? 'usage' : 'NOT VERIFIED'}: ${error.message}`);
      process.exitCode = error instanceof Usage ? 2 : 1;
    },
  );
