import { fits, inputViolations } from '../kinds/check.js';
import { completeInput, KINDS } from '../kinds/kinds.js';
import type { Completion, ContextRecord, ModelCall, ModelMessage, ToolSpec } from '../provider.js';
import { LocalProvider } from './local-provider.js';

const provider = new LocalProvider();
const AS_OF = '2026-11-21';

const DEAL: ContextRecord = {
  object: 'sales.deal',
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
  fields: {
    name: 'Acme renewal',
    status: 'open',
    stage: 'proposal',
    currency: 'EUR',
    amountMinor: 2_500_050,
    expectedCloseDate: '2026-11-10',
    nextStep: null,
    nextStepDate: null,
    primaryContactId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b99',
    updatedAt: '2026-11-01T10:00:00.000Z',
  },
};
const INVOICE: ContextRecord = {
  object: 'finance.invoice',
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1c20',
  fields: {
    name: 'Invoice for Beta',
    number: 'INV-2026-0042',
    status: 'overdue',
    currency: 'EUR',
    balanceMinor: 119_000,
    totalMinor: 119_000,
    issueDate: '2026-10-01',
    dueDate: '2026-10-31',
    language: 'de',
    customer: { name: 'Beta GmbH' },
    seller: { name: 'Acme SE' },
  },
};

/** One call as the platform makes it: checked input, rendered prompt, output that has to fit the schema. */
async function run(
  key: string,
  given: Record<string, unknown>,
  records: ContextRecord[] = [],
  more: Partial<ModelCall> = {},
): Promise<Completion> {
  const kind = KINDS.get(key)!;
  expect(inputViolations(kind, given)).toEqual([]);
  const input = completeInput(kind, given, AS_OF);
  const task = { kind: key, input, records };
  const { system, messages, outputSchema } = kind.render(task, null);
  const call: ModelCall = {
    model: 'local-1',
    system,
    messages,
    tools: [],
    outputSchema,
    maxOutputTokens: 4_096,
    temperature: null,
    idempotencyKey: 'k',
    timeoutMs: 1_000,
    task,
    ...more,
  };
  const completion = await provider.complete(call, new AbortController().signal);
  if (outputSchema !== null && completion.finish === 'stop') expect(fits(completion.json, outputSchema)).toBe(true);
  expect(await provider.complete(call, new AbortController().signal)).toEqual(completion); // deterministic
  return completion;
}

const NEWS = `The city council voted on Tuesday to build a new tram line to the harbour. The tram line will connect the harbour with the main station in twelve minutes. Residents had asked for better transport to the harbour for years. The weather was mild. The council expects the tram line to carry 20,000 passengers a day. A bakery near the station sells cinnamon rolls. Construction of the tram line begins in spring and costs 140 million.`;

describe('text', () => {
  it('summarizes by the sentences that the others are about', async () => {
    const { text } = await run('text.summarize', { text: NEWS, maxSentences: 2 });
    expect(text).toContain('tram line');
    expect(text).not.toMatch(/weather|bakery/);
    expect((await run('text.summarize', { text: NEWS, maxSentences: 1, focus: 'cinnamon bakery' })).text).toContain(
      'cinnamon',
    );
  });

  it('summarizes texts without spaces between words', async () => {
    const text =
      '東京の新しい地下鉄は来年開業する。地下鉄は空港と東京駅を結ぶ。天気は良い。地下鉄の建設には五年かかった。';
    const { text: summary } = await run('text.summarize', { text, maxSentences: 1 });
    expect(summary).toContain('地下鉄');
  });

  const labels = [
    { label: 'billing', description: 'invoices, payments, refunds and prices' },
    { label: 'outage', description: 'the service is down, slow or not reachable' },
  ];

  it('classifies by shared words, and says which', async () => {
    const { json } = await run('text.classify', { text: 'Please refund the payment of my last invoice.', labels });
    expect(json).toMatchObject({ label: 'billing', reason: expect.stringContaining('refund') as string });
    expect((await run('text.classify', { text: 'xyzzy', labels })).json).toMatchObject({ label: null, confidence: 0 });
  });

  it('extracts values behind labels and by their form', async () => {
    const text = `Order form\nCustomer: Beta GmbH\nContact mail maria@beta.example, phone +49 30 1234567\nTotal amount: 1.234,50 €\nDelivery date: 3 December 2026\nUrgent: yes\nQuantity: 12\nPlan Gold\nSee https://beta.example/order/7.`;
    const fields = [
      { name: 'customer' },
      { name: 'email', type: 'email' },
      { name: 'phone', type: 'phone' },
      { name: 'total', type: 'amount', labels: ['total amount'] },
      { name: 'deliveryDate', type: 'date' },
      { name: 'urgent', type: 'boolean' },
      { name: 'quantity', type: 'integer' },
      { name: 'plan', type: 'choice', choices: ['Silver', 'Gold'] },
      { name: 'links', type: 'url', many: true },
      { name: 'discount', type: 'number' },
    ];
    const { json } = await run('text.extract', { text, fields });
    expect(json).toEqual({
      customer: 'Beta GmbH',
      email: 'maria@beta.example',
      phone: '+49 30 1234567',
      total: { value: 1234.5, currency: 'EUR' },
      deliveryDate: '2026-12-03',
      urgent: true,
      quantity: 12,
      plan: 'Gold',
      links: ['https://beta.example/order/7'],
      discount: null,
    });
  });

  it('fills placeholders, or answers from the material', async () => {
    const filled = await run(
      'text.generate',
      { prompt: 'Hi {{who}}: {{deal.name}} is worth {{deal.amountMinor}}, {{nothing}}.', variables: { who: 'Ana' } },
      [DEAL],
    );
    expect(filled.text).toBe('Hi Ana: Acme renewal is worth 25000.50 EUR, {{nothing}}.');
    expect((await run('text.generate', { prompt: 'What is the stage of the deal?' }, [DEAL])).text).toContain(
      'proposal',
    );
  });
});

describe('records', () => {
  it('says what a record is and stands at', async () => {
    const { json } = await run('record.summarize', {}, [DEAL]);
    expect(json).toMatchObject({ summary: expect.stringContaining('Acme renewal') as string });
    expect(JSON.stringify(json)).toContain('25000.50 EUR');
    expect(JSON.stringify(json)).not.toContain(DEAL.id);
  });

  it('suggests what is late, and proposes it for the deal', async () => {
    const { json } = await run('record.next_step', {}, [DEAL]);
    expect(json).toMatchObject({
      urgency: 'high',
      dueDate: AS_OF,
      object: 'sales.deal',
      reason: expect.stringContaining('2026-11-10') as string,
    });
    const kind = KINDS.get('record.next_step')!;
    const task = { kind: kind.key, input: { asOf: AS_OF }, records: [DEAL] };
    expect(kind.proposals(json, task)).toEqual([
      {
        operation: 'deals.update',
        target: { object: 'sales.deal', id: DEAL.id },
        params: { nextStep: (json as { step: string }).step, nextStepDate: AS_OF },
        reason: expect.any(String) as string,
      },
    ]);
    expect(kind.proposals({ ...(json as object), id: 'made-up' }, task)).toEqual([]);
  });

  it('asks for nothing where nothing is left to do', async () => {
    const won = { ...DEAL, fields: { ...DEAL.fields, status: 'won' } };
    expect((await run('record.next_step', {}, [won])).json).toMatchObject({ urgency: 'low', dueDate: null });
  });
});

describe('letters and documents', () => {
  it('reminds of an invoice in its language and with its own values', async () => {
    const { json } = await run('invoice.reminder_draft', { tone: 'firm' }, [INVOICE]);
    const { subject, body } = json as { subject: string; body: string };
    expect(subject).toBe('Erinnerung: Rechnung INV-2026-0042');
    for (const part of ['Beta GmbH', '1190.00 EUR', '2026-10-31', '21 Tagen', 'Acme SE']) expect(body).toContain(part);
  });

  it('answers questions with the passages that speak of them, and names the others', async () => {
    const input = {
      subject: 'Two questions',
      body: 'Hello, how long does the delivery take? Which colours of bicycles are there?',
      knowledge: ['The delivery takes three days within Europe.', 'Returns are free of charge.'],
      customerName: 'Maria',
    };
    const { body } = (await run('ticket.reply_draft', input)).json as { body: string };
    expect(body).toContain('Hello Maria,');
    expect(body).toContain('three days');
    expect(body).not.toContain('Returns are free');
    expect(body).toMatch(/look into it:\n\n> Which colours/);
  });

  it('triages by words and stated rules', async () => {
    const { json } = await run('ticket.triage', {
      subject: 'Invoice',
      body: 'I cannot log in, so I cannot pay the invoice.',
    });
    expect(json).toMatchObject({
      priority: 'high',
      reasons: [expect.stringContaining('Category'), expect.stringContaining('cannot work')],
    });
    expect(
      (await run('ticket.triage', { body: 'It is not urgent, but a dark mode would be nice.' })).json,
    ).toMatchObject({ priority: 'low' });
    expect(
      (await run('ticket.triage', { body: 'Produktion: Totalausfall, niemand kann arbeiten!' })).json,
    ).toMatchObject({ priority: 'urgent' });
  });

  it('fills a document and lists what is missing', async () => {
    const template = 'Offer for {{deal.name}}\nAmount: {{deal.amountMinor}}\nContact: {{contact.name}}';
    const { json } = await run('document.draft', { title: 'Offer {{deal.name}}', template }, [DEAL]);
    expect(json).toMatchObject({
      title: 'Offer Acme renewal',
      missing: ['contact.name'],
      body: expect.stringContaining('25000.50 EUR') as string,
    });
    const sections = await run('document.draft', { sections: ['Stage', 'Insurance'] }, [DEAL]);
    expect(sections.json).toMatchObject({
      missing: ['Insurance'],
      body: expect.stringContaining('proposal') as string,
    });
  });
});

describe('findings', () => {
  it('screens by the words of the criteria, with evidence', async () => {
    const candidate = {
      object: 'talent.candidate',
      id: 'c',
      fields: { name: 'Ana', skills: ['TypeScript', 'PostgreSQL'] },
    };
    const criteria = [{ name: 'TypeScript', required: true }, { name: 'Rust' }];
    const { json } = await run('candidate.screen', { criteria, text: 'Five years of TypeScript in production.' }, [
      candidate,
    ]);
    expect(json).toMatchObject({
      fit: 'possible',
      score: 67,
      criteria: [
        { met: true, evidence: expect.stringContaining('TypeScript') as string },
        { met: false, evidence: null },
      ],
    });
    const job = { object: 'talent.job', id: 'j', fields: { description: 'We need Rust' } };
    const both = await run('candidate.screen', { criteria: [{ name: 'Rust' }] }, [candidate, job]);
    expect(both.json).toMatchObject({ fit: 'weak', score: 0 });
  });

  it('puts rows into words, exactly', async () => {
    const rows = [
      { month: 'Sep', revenue: 100.1 },
      { month: 'Oct', revenue: 200.2 },
      { month: 'Nov', revenue: 150.15 },
    ];
    const { json } = await run('report.narrate', { title: 'Revenue', rows });
    expect(JSON.stringify(json)).toContain('450.45');
    expect(JSON.stringify(json)).toContain('rose by 50 %');
    expect((json as { paragraphs: string[] }).paragraphs[0]).toContain('200.2 (Oct)');
  });
});

describe('agent.run', () => {
  const tool = (name: string, properties: object): ToolSpec => ({
    name,
    description: name,
    parameters: { type: 'object', properties },
  });
  const tools = [
    tool('deals__search', { q: { type: 'string' }, limit: { type: 'integer' } }),
    tool('deals__get', { id: { type: 'string' } }),
    tool('deals__update', {
      id: { type: 'string' },
      changes: { properties: { nextStep: { type: ['string', 'null'] } } },
    }),
    tool('tasks__create', { record: { properties: { name: { type: 'string' } } } }),
  ];

  /** Plays the platform: answers each call of a tool. */
  async function play(
    goal: string,
    answer: (name: string) => unknown,
    most = 6,
  ): Promise<{ calls: { name: string; params: object }[]; text: string }> {
    const messages: ModelMessage[] = [{ role: 'user', text: goal }];
    const calls: { name: string; params: object }[] = [];
    for (let step = 0; step < most; step++) {
      const { toolCalls, text } = await run('agent.run', { goal }, [], { messages, tools });
      if (toolCalls.length === 0) return { calls, text: text! };
      messages.push({ role: 'assistant', text: null, toolCalls });
      for (const { id, name, params } of toolCalls) {
        calls.push({ name, params });
        messages.push({ role: 'tool', toolCallId: id, text: JSON.stringify(answer(name)) });
      }
    }
    throw new Error('The agent goes on and on.');
  }
  const answers = (name: string) =>
    name.endsWith('search')
      ? { records: [DEAL], hasMore: false }
      : name.endsWith('get')
        ? { record: DEAL }
        : { status: 'proposed' };

  it('searches, reads, and tells what it knows', async () => {
    const { calls, text } = await play('Which stage is the deal of Acme in?', answers);
    expect(calls).toEqual([
      { name: 'deals__search', params: { q: 'Acme', limit: 10 } },
      { name: 'deals__get', params: { id: DEAL.id } },
    ]);
    expect(text).toContain('proposal');
  });

  it('makes the change that the goal spells out, and no other', async () => {
    const { calls, text } = await play('Set next step to "Call Maria" on the deal Acme renewal', answers);
    expect(calls[0]!.params).toMatchObject({ q: 'Acme' });
    expect(calls.at(-1)).toMatchObject({
      name: 'deals__update',
      params: { id: DEAL.id, changes: { nextStep: 'Call Maria' } },
    });
    expect(text).toContain('Call Maria');
    const made = await play('Create a task "Call Maria"', () => ({ records: [], hasMore: false }));
    expect(made.calls.at(-1)).toMatchObject({ name: 'tasks__create', params: { record: { name: 'Call Maria' } } });
  });

  it('changes nothing where two records fit', async () => {
    const two = { records: [DEAL, { ...DEAL, id: 'other' }], hasMore: false };
    const goal = 'Set next step to "Call" on the deal Acme renewal';
    const { calls } = await play(goal, (name) => (name.endsWith('search') ? two : answers(name)));
    expect(calls.some(({ name }) => name === 'deals__update')).toBe(false);
  });

  it('says what was refused, and comes to an end whatever tools answer', async () => {
    const refused = { error: { code: 'permission_denied', detail: 'No.' } };
    const { text } = await play('Set next step to "Call" on the deal Acme renewal', (name) =>
      name.endsWith('update') ? refused : answers(name),
    );
    expect(text).toContain('refused (permission_denied)');
    for (const answer of [null, 'text', { records: 7 }, { record: null }, refused, []])
      expect((await play('Find deals', () => answer)).text).toBeTruthy();
  });
});

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

  // A pattern that backtracks, or a step that compares all with all, takes longer than any test may.
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
