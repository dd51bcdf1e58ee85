import { createSign, generateKeyPairSync } from 'node:crypto';

/** One DER element. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  return Buffer.concat([
    Buffer.from(
      length < 128 ? [tag, length] : length < 256 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 255],
    ),
    content,
  ]);
}
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const ECDSA_SHA256 = der(0x30, oid('2a8648ce3d040302'));
const SUBJECT_ALT_NAME = oid('551d11');
const COMMON_NAME = oid('550403');

/**
 * A self-signed certificate for a DNS name, with its key, as PEM. @param notAfter as UTCTime; defaults to far in the
 * future
 */
export function certificateFor(name: string, notAfter = '491231235959Z'): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from(name)))));
  const names = der(0x04, der(0x30, der(0x82, Buffer.from(name))));
  const toSign = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_SHA256,
    subject,
    der(0x30, der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from(notAfter))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, der(0x30, SUBJECT_ALT_NAME, names))),
  );
  const signature = createSign('sha256').update(toSign).sign(privateKey);
  const certificate = der(0x30, toSign, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}
