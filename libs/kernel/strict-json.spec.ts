import fc from 'fast-check';
import { parseStrictJson } from './strict-json.js';

const parse = (text: string): unknown => parseStrictJson(Buffer.from(text));

function refusalOf(text: string | Buffer): { code: string; detail: string } | null {
  try {
    parseStrictJson(typeof text === 'string' ? Buffer.from(text) : text);
    return null;
  } catch (error) {
    return error as { code: string; detail: string };
  }
}

const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + '1' + close.repeat(depth);

describe('well-formed JSON', () => {
  it('means what JSON.parse says, however it is written', () => {
    const value = fc.jsonValue({ maxDepth: 6 }).filter((json) => !JSON.stringify(json).includes('__proto__'));
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, '\t'), (json, space) => {
        const text = JSON.stringify(json, null, space);
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it('may repeat a key in different objects, and keys as values', () => {
    expect(parse('{"a":{"a":"a"},"b":[{"a":1},{"a":2}],"c":"a"}')).toEqual({
      a: { a: 'a' },
      b: [{ a: 1 }, { a: 2 }],
      c: 'a',
    });
    expect(parse('["a","a",":","\\"a\\":1"]')).toEqual(['a', 'a', ':', '"a":1']);
  });

  it('may be 32 levels deep and not 33', () => {
    expect(refusalOf(nested(32, '[', ']'))).toBeNull();
    expect(refusalOf(nested(32, '{"a":', '}'))).toBeNull();
    expect(refusalOf(nested(33, '[', ']'))).toMatchObject({
      code: 'malformed_json',
      detail: expect.stringContaining('32'),
    });
    expect(refusalOf(nested(33, '{"a":', '}'))?.code).toBe('malformed_json');
  });
});

describe('what parsers disagree about', () => {
  it.each([
    ['twice', '{"a":1,"a":2}'],
    ['twice with white space', '{"a" : 1 , "a"\n:2}'],
    ['twice in an inner object', '{"x":[{"a":1,"b":2,"a":3}]}'],
    ['twice, once escaped', '{"a":1,"\\u0061":2}'],
    ['twice, escaped in two ways', '{"\\u00e9":1,"é":2}'],
    ['empty and twice', '{"":1,"":2}'],
    ['a quote and twice', '{"\\"":1,"\\u0022":2}'],
    ['a backslash and twice', '{"\\\\":1,"\\u005c":2}'],
  ])('refuses a member that occurs %s', (_, text) => {
    expect(refusalOf(text)).toMatchObject({ code: 'malformed_json', detail: expect.stringContaining('twice') });
  });

  it.each(['{"__proto__":{}}', '{"a":{"__proto__":1}}', '{"\\u005f_proto__":1}', '[{"__proto\\u005f_":null}]'])(
    'refuses __proto__ in %s',
    (text) => {
      expect(refusalOf(text)?.detail).toContain('__proto__');
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    },
  );

  it('takes __proto__ as a value', () => {
    expect(parse('["__proto__"]')).toEqual(['__proto__']);
  });

  it('finds one repeated key among any others', () => {
    const keys = fc.uniqueArray(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(keys, fc.nat(), fc.nat(), (names, from, to) => {
        if (names.includes('__proto__')) return;
        const members = names.map((name) => `${JSON.stringify(name)}:0`);
        expect(refusalOf(`{${members.join(',')}}`)).toBeNull();
        members.splice(to % (members.length + 1), 0, members[from % members.length]!);
        expect(refusalOf(`{${members.join(',')}}`)?.detail).toContain('twice');
      }),
    );
  });
});

describe('bytes that are no JSON', () => {
  it.each([
    ['overlong NUL', Buffer.from([0x22, 0xc0, 0x80, 0x22])],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['a lone continuation byte', Buffer.from([0x22, 0x80, 0x22])],
    ['a cut sequence', Buffer.from([0x22, 0xe2, 0x82])],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
  ])('refuses %s', (_, bytes) => {
    expect(refusalOf(bytes)?.code).toBe('malformed_json');
  });

  it.each(['', ' ', '{', '{"a":}', '{"a":1,}', "{'a':1}", '{a:1}', '01', 'NaN', '1 2', '{"a":1}}', '\u0000', '/**/1'])(
    'refuses %j',
    (text) => {
      expect(refusalOf(text)?.code).toBe('malformed_json');
    },
  );

  it('never fails otherwise, whatever the bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
          fc.string().map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          const refusal = refusalOf(bytes);
          expect(refusal === null || refusal.code === 'malformed_json').toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('shows at most a piece of the body in the refusal', () => {
    expect(refusalOf(`{"${'x'.repeat(10_000)}`)!.detail.length).toBeLessThan(300);
  });
});
