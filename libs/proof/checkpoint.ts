import { createPublicKey, hash, verify } from 'node:crypto';
import type { PublicSigningKey, SigningKey } from './signing-keys.js';

/** Content of a checkpoint: size and root of a tenant's tree. */
export interface TreeHead {
  tenantId: string;
  size: number;
  rootHash: Buffer;
}

/** Signature type of Ed25519 in notes. */
const ED25519 = 1;
const KEY_ID_BYTES = 4;

const originOf = (tenantId: string): string => `tenant-operating-platform/${tenantId}`;

function bodyOf({ tenantId, size, rootHash }: TreeHead): string {
  return `${originOf(tenantId)}\n${size}\n${rootHash.toString('base64')}\n`;
}

function keyIdOf(tenantId: string, publicKey: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(`${originOf(tenantId)}\n`), Buffer.from([ED25519]), publicKey]);
  return hash('sha256', named, 'buffer').subarray(0, KEY_ID_BYTES);
}

/** The tree head as a signed note. `Source:` C2SP tlog-checkpoint, signed-note. */
export function signedCheckpoint(head: TreeHead, key: SigningKey): string {
  const body = bodyOf(head);
  const signed = Buffer.concat([keyIdOf(head.tenantId, key.publicKey), key.sign(Buffer.from(body))]);
  return `${body}\n— ${originOf(head.tenantId)} ${signed.toString('base64')}\n`;
}

/** Whether a note contains exactly the tree head and is signed by one of the keys. */
export function isCheckpointOf(head: TreeHead, note: string, keys: readonly PublicSigningKey[]): boolean {
  const body = bodyOf(head);
  const start = `${body}\n— ${originOf(head.tenantId)} `;
  if (!note.startsWith(start)) return false;
  const signed = Buffer.from(note.slice(start.length), 'base64');
  const [keyId, signature] = [signed.subarray(0, KEY_ID_BYTES), signed.subarray(KEY_ID_BYTES)];
  return keys.some(({ publicKey }) => {
    if (!keyIdOf(head.tenantId, publicKey).equals(keyId)) return false;
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') };
    return verify(null, Buffer.from(body), createPublicKey({ key: jwk, format: 'jwk' }), signature);
  });
}
