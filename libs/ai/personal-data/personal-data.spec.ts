import fc from 'fast-check';
import { type Looking, PERSONAL_DATA_KINDS, type PersonalDataKind } from './kinds.js';
import { Masking, unmask } from './mask.js';
import { scan } from './scan.js';

const ALL: Looking = { kinds: PERSONAL_DATA_KINDS, country: 'DE' };
const found = (text: string, looking = ALL): string[] => {
  const masking = new Masking(looking);
  masking.mask(text);
  return Object.values(masking.places);
};
const kindsIn = (text: string): PersonalDataKind[] => scan(text, ALL).map(({ kind }) => kind);

/** Numbers published as examples, and names reserved for documentation. */
const SAMPLES: Record<PersonalDataKind, readonly string[]> = {
  email: [
    'anna.berg@example.com',
    "o'brien+x@mail.example.co.uk",
    'ünal@bücher.example',
    'a_b%c@xn--bcher-kva.example',
  ],
  phone: [
    '+49 30 901820',
    '+1 (202) 555-0143',
    '0044 20 7946 0958',
    '(202) 555-0143',
    '020 7946 0958',
    '030/901820',
    '01 42 68 53 00',
  ],
  payment_card: [
    '4111111111111111',
    '4111 1111 1111 1111',
    '5500-0000-0000-0004',
    '3782 822463 10005',
    '6011000990139424',
  ],
  iban: [
    'DE89370400440532013000',
    'GB29 NWBK 6016 1331 9268 19',
    'FR14 2004 1010 0505 0001 3M02 606',
    'nl91abna0417164300',
  ],
  national_id: [
    '078-05-1120',
    'AB 12 34 56 C',
    '86095742719',
    '86 095 742 719',
    '2 55 08 14 168 025 38',
    '12345678Z',
    'X1234567L',
    'RSSMRA85T10A562S',
    '811228-9874',
    '131052-308T',
    '756.9217.0769.85',
    '046-454-286',
    '111.444.777-35',
  ],
  ip_address: ['192.0.2.17', '2001:db8::1', '2001:db8:0:0:0:0:2:1', '::ffff:192.0.2.1'],
  date_of_birth: [],
};
const samples = Object.entries(SAMPLES).flatMap(([kind, texts]) => texts.map((text) => [kind, text] as const));

describe('personal data in texts', () => {
  it.each(samples)('finds %s %s', (kind, text) => {
    expect(kindsIn(text)).toEqual([kind]);
    expect(found(`Please see (${text}), and answer.`)).toEqual([text]);
    expect(found(`{"x":"${text}"}`)).toEqual([text]);
  });

  it.each([
    ['Born on 4 May 1980 in Ulm', '4 May 1980'],
    ['date of birth: 1980-05-04', '1980-05-04'],
    ['{"dateOfBirth":"04/05/1980"}', '04/05/1980'],
    ['DOB May 4th, 1980', 'May 4th, 1980'],
    ['geb. 04.05.1980', '04.05.1980'],
  ])('finds the labelled date of birth in %s', (text, date) => {
    expect(kindsIn(text)).toEqual(['date_of_birth']);
    expect(found(text)).toEqual([date]);
  });

  it.each([
    ['SSN 078051120', '078051120'],
    ['passport no. C01X00T47', 'C01X00T47'],
    ['phone: 555 0100 22', '555 0100 22'],
  ])('finds what %s names', (text, value) => expect(found(text)).toEqual([value]));

  it.each([
    ['４１１１ １１１１ １１１１ １１１１', 'payment_card'],
    ['+49\u00a030\u2011901820', 'phone'],
    ['anna\u200b.berg@exam\u00adple.com', 'email'],
    ['anna.berg＠example．com', 'email'],
    ['٤١١١١١١١١١١١١١١١', 'payment_card'],
  ])('is not misled by other digits and invisible characters: %s', (text, kind) => {
    expect(kindsIn(text)).toEqual([kind]);
    expect(found(text)).toEqual([text]);
  });

  it.each([
    ['an invalid check digit', '4111 1111 1111 1112'],
    ['an IBAN with a wrong check digit', 'DE88370400440532013000'],
    ['amounts', 'The total of 12,345,678.90 EUR is due, 1 234 567.00 of it now; order 4155552671.'],
    ['dates', 'From 2026-11-21 to 01.02.2027, at 09:15:02.114Z or 01/02/2027 10:30.'],
    ['ids and references', '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b01 INV-2026-000123 01890000-0000-7000-8000-000000000000'],
    ['columns of figures', '45 67 89 12 34 56 78 90 41 11 11 11 11 11 11 11'],
    ['code', 'std::vector a::b @Component user@ @home 1.2.3 v10.2.3.4567'],
    ['a version', 'release 999.1.2.3'],
  ])('lets %s be', (_what, text) => expect(found(text)).toEqual([]));

  it('looks only for what the policy names', () => {
    const text = 'anna@example.com 4111111111111111 192.0.2.1';
    for (const kind of ['email', 'payment_card', 'ip_address'] as const)
      expect(scan(text, { kinds: [kind], country: null }).map((each) => each.kind)).toEqual([kind]);
    expect(scan(text, { kinds: [], country: null })).toEqual([]);
  });

  it('knows national numbers of the country', () => {
    expect(found('Ring 612 34 56 78 now', { kinds: ['phone'], country: 'ES' })).toEqual(['612 34 56 78']);
    expect(found('Ring 612 34 56 78 now', { kinds: ['phone'], country: null })).toEqual([]);
  });
});

describe('personal data in JSON', () => {
  it('says what is where without saying it', () => {
    const value = {
      input: { prompt: 'Write to anna@example.com and bob@example.com from 192.0.2.1' },
      records: [
        { fields: { dateOfBirth: '1980-05-04', phones: ['5550100'], card: 4111111111111111, 'a/b~c': '+4930901820' } },
      ],
    };
    expect(scan(value, ALL)).toEqual([
      { kind: 'email', count: 2, where: '/input/prompt' },
      { kind: 'ip_address', count: 1, where: '/input/prompt' },
      { kind: 'date_of_birth', count: 1, where: '/records/0/fields/dateOfBirth' },
      { kind: 'phone', count: 1, where: '/records/0/fields/phones/0' },
      { kind: 'payment_card', count: 1, where: '/records/0/fields/card' },
      { kind: 'phone', count: 1, where: '/records/0/fields/a~1b~0c' },
    ]);
  });

  it('keeps names of members that are personal data out of the place', () => {
    expect(scan({ 'anna@example.com': 1 }, ALL)).toEqual([{ kind: 'email', count: 1, where: '/[EMAIL_1]' }]);
  });

  it('masks the same value with the same placeholder, also later on', () => {
    const first = new Masking(ALL);
    expect(first.mask({ a: 'anna@example.com, bob@example.com', b: ['anna@example.com'] })).toEqual({
      a: '[EMAIL_1], [EMAIL_2]',
      b: ['[EMAIL_1]'],
    });
    const later = new Masking(ALL, { ...first.places });
    expect(later.mask('carl@example.com bob@example.com')).toBe('[EMAIL_3] [EMAIL_2]');
    expect(unmask({ text: 'To [EMAIL_3] or [EMAIL_9]', '[EMAIL_1]': 1 }, later.places)).toEqual({
      text: 'To carl@example.com or [EMAIL_9]',
      'anna@example.com': 1,
    });
  });

  it('does not take text that looks like a placeholder for one', () => {
    const masking = new Masking(ALL);
    const sent = masking.mask('[EMAIL_1] wrote to anna@example.com');
    expect(sent).toBe('[TEXT_1] wrote to [EMAIL_1]');
    expect(unmask(sent, masking.places)).toBe('[EMAIL_1] wrote to anna@example.com');
  });

  it('leaves masks and their restoring alone where places are odd', () => {
    expect(unmask('[TEXT_1]', JSON.parse('{"__proto__":"x"}') as Record<string, string>)).toBe('[TEXT_1]');
  });
});

/** Texts with personal data among words, signs, placeholders and fragments of itself. */
const part = fc.oneof(
  fc.constantFrom(...samples.map(([, text]) => text)),
  fc.constantFrom(...samples.map(([, text]) => text.slice(0, -3))),
  fc.constantFrom(
    'born ',
    'Tel. ',
    'SSN ',
    ' ',
    ', ',
    '@',
    '+',
    '-',
    '/',
    ':',
    '[EMAIL_1]',
    '[TEXT_2]',
    '[',
    ']',
    '\n',
    '1980-05-04',
  ),
  fc.stringMatching(/^[0-9 +().-]{0,12}$/),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(fc.oneof(text, fc.constantFrom('phone', 'ssn', 'dateOfBirth', 'name')), tie('value'), {
    maxKeys: 4,
  }),
})).value;

describe('properties of masking', () => {
  it('leaves nothing behind that a scan would find', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(scan(new Masking(ALL).mask(value), ALL)).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is undone by unmasking', () => {
    fc.assert(
      fc.property(text, (value) => {
        const masking = new Masking(ALL);
        expect(unmask(masking.mask(value), masking.places)).toBe(value);
      }),
      { numRuns: 3_000 },
    );
  });

  it('finds a number among words whatever is around it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.lorem(), fc.lorem(), ([, sample], before, after) => {
        expect(found(`${before} ${sample}. ${after}`)).toContain(sample);
      }),
    );
  });
});

describe('hostile texts of 256 KiB', () => {
  const SIZE = 262_144;
  // A quadratic step would exceed the time limit of the test.
  it.each([
    '1',
    '1 ',
    '11 ',
    '0',
    '00 ',
    '+',
    '+1',
    '+1 ',
    '(0',
    '0-',
    '030 ',
    '4',
    '4111 ',
    '4111-1111-1111-1112 ',
    'a@',
    '@',
    'a.',
    'a@b.',
    '@a.',
    'x.y@',
    '1.',
    '1.1.1.1',
    ':',
    'a:',
    '::',
    'DE89',
    'DE89 3704 ',
    'DE00A',
    'born ',
    'born 1',
    'phone ',
    'phone: 1 ',
    'ssn ',
    'ssn: a',
    '12345678901 ',
    '123456-1234 ',
    '[EMAIL_',
    '[EMAIL_1]',
    'anna@example.com ',
    '\u200b',
    '１',
    'é',
    '٤',
  ])(
    'gets through %j',
    (unit) => {
      const masking = new Masking(ALL);
      const hostile = unit.repeat(Math.ceil(SIZE / unit.length)).slice(0, SIZE);
      expect(unmask(masking.mask(hostile), masking.places)).toBe(hostile);
    },
    30_000,
  );
});
