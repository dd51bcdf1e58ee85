import { DEAL, localProvider as provider, NEWS, runLocal as run } from '#libs/testing/local-runs.js';
import type { ModelCall } from '../provider.js';

describe('bounds', () => {
  it('keeps to the bound on the answer, and says that it was cut', async () => {
    const cut = await run(
      'text.summarize',
      {
        text: `${'A long sentence about trams goes on and on without an end in sight for the reader. '.repeat(3)}`.padEnd(
          3_000,
          'tram lines ',
        ),
        maxSentences: 20,
      },
      [],
      { maxOutputTokens: 64 },
    );
    expect(cut.finish).toBe('length');
    expect(Buffer.byteLength(cut.text!)).toBeLessThanOrEqual(256);
    expect(cut.usage.outputTokens).toBe(64);
    const json = await run('record.summarize', {}, [{ ...DEAL, fields: { ...DEAL.fields, notes: NEWS } }], {
      maxOutputTokens: 64,
    });
    expect(json).toMatchObject({ finish: 'length', json: undefined });
  });

  it('is told to stop', async () => {
    const call = { task: { kind: 'text.summarize', input: { text: 'x' }, records: [] } } as Partial<ModelCall>;
    await expect(provider.complete(call as ModelCall, AbortSignal.abort())).rejects.toMatchObject({
      fault: 'aborted',
      mayHaveRun: false,
    });
  });

  const SIZE = 240_000;
  const HOSTILE = {
    'one letter': 'a'.repeat(SIZE),
    digits: '1'.repeat(SIZE),
    'digits and dots': '1.'.repeat(SIZE / 2),
    'almost addresses': 'a@a.'.repeat(SIZE / 4),
    'almost numbers': '+1 (1) '.repeat(SIZE / 7),
    lines: 'a\n'.repeat(SIZE / 2),
    'different words': Array.from({ length: SIZE / 8 }, (_each, index) => `w${index}x. `)
      .join('')
      .slice(0, SIZE),
    labels: 'total: total = '.repeat(SIZE / 15),
    ends: '. ! ? '.repeat(SIZE / 6),
    quotes: '"{{'.repeat(SIZE / 3),
  };

  // A pattern that backtracks, or a quadratic step, exceeds the time limit of the test.
  it.each(Object.entries(HOSTILE))('takes time in proportion to %s', async (_name, text) => {
    const fields = Array.from({ length: 20 }, (_each, index) => ({
      name: `total${index}`,
      type: (['email', 'phone', 'date', 'amount', 'number', 'choice'] as const)[index % 6]!,
      labels: ['total', 'a', '1'],
      choices: ['w1x', 'total'],
      many: true,
    }));
    await run('text.summarize', { text });
    await run('text.extract', { text, fields });
    await run('text.classify', { text, labels: [{ label: 'a' }, { label: 'total' }] });
    await run('ticket.triage', { body: text });
    await run('ticket.reply_draft', { body: text, knowledge: [text.slice(0, 20_000)] });
    await run(
      'candidate.screen',
      { text, criteria: Array.from({ length: 20 }, (_each, index) => ({ name: `w${index}x total` })) },
      [{ object: 'talent.candidate', id: 'c', fields: {} }],
    );
    await run('document.draft', { template: text });
  });
});
