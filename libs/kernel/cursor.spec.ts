import fc from 'fast-check';
import { Cursors, type Position } from './cursor.js';

const cursors = new Cursors(Buffer.alloc(32, 1));
const purpose = 'tenant|sales.deals.list|-createdAt';
const position = fc.array(
  fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeInteger(), fc.boolean(), fc.constant(null)),
  { minLength: 1, maxLength: 4 },
);
const invalid = expect.objectContaining({ code: 'cursor_invalid', status: 400 });

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return 'nothing';
}

describe('a cursor', () => {
  it('gives back the position it was written for', () => {
    fc.assert(
      fc.property(position, fc.string(), (given, text) => {
        const written: Position = given;
        expect(cursors.read(cursors.write(written, text), text)).toEqual(JSON.parse(JSON.stringify(written)));
      }),
    );
  });

  it('is refused for another purpose, and under another key', () => {
    const text = cursors.write(['2026-11-21T09:15:02.114Z', 'id'], purpose);
    expect(thrownBy(() => cursors.read(text, `${purpose},name`))).toEqual(invalid);
    expect(thrownBy(() => new Cursors(Buffer.alloc(32, 2)).read(text, purpose))).toEqual(invalid);
  });

  it('is refused after any change of any character', () => {
    const text = cursors.write([1, 'id'], purpose);
    for (let at = 0; at < text.length; at++)
      for (const other of ['A', 'z', '-', '=', ' ']) {
        const changed = text.slice(0, at) + other + text.slice(at + 1);
        if (changed !== text) expect(thrownBy(() => cursors.read(changed, purpose))).toEqual(invalid);
      }
    expect(thrownBy(() => cursors.read(`${text}A`, purpose))).toEqual(invalid);
    expect(thrownBy(() => cursors.read(text.slice(0, -1), purpose))).toEqual(invalid);
  });

  it('is refused when it is any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(thrownBy(() => cursors.read(text, purpose))).toEqual(invalid);
      }),
    );
  });

  it('shows nothing of the position', () => {
    const text = cursors.write(['Acme renewal secret'], purpose);
    const plain = Buffer.from(text, 'base64url').toString('latin1');
    expect(plain).not.toContain('Acme');
    expect(plain).not.toContain('secret');
  });
});
