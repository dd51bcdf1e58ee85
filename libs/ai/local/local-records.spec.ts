import { KINDS } from '../kinds/kinds.js';
import { AS_OF, DEAL, runLocal as run } from '#libs/testing/local-runs.js';
import type { ContextRecord } from '../provider.js';

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
    const won = { ...DEAL, fields: { ...DEAL.fields, status: 'won', nextStep: 'Send the contract' } };
    expect((await suggestedFor(won)).json).toMatchObject({ step: null, urgency: 'low', dueDate: null });
    expect((await suggestedFor(won)).proposals).toEqual([]);
  });

  /** A deal as the platform shows it, without empty fields. */
  const PLANNED: ContextRecord = {
    ...DEAL,
    fields: {
      ...{ name: 'Acme renewal', status: 'open', updatedAt: '2026-11-20T10:00:00.000Z', currency: 'EUR' },
      ...{ nextStep: 'Send the contract', nextStepDate: '2026-12-20', expectedCloseDate: '2027-01-10' },
      ...{ primaryContactId: DEAL.id, amountMinor: 2_500_050 },
    },
  };
  const without = (...left: string[]): ContextRecord => ({
    ...PLANNED,
    fields: Object.fromEntries(Object.entries(PLANNED.fields).filter(([field]) => !left.includes(field))),
  });
  const suggestedFor = async (record: ContextRecord) => {
    const { json } = await run('record.next_step', {}, [record]);
    const task = { kind: 'record.next_step', input: { asOf: AS_OF }, records: [record] };
    return { json, proposals: KINDS.get('record.next_step')!.proposals(json, task) };
  };

  it('leaves the next step of a deal alone', async () => {
    const { json, proposals } = await suggestedFor(PLANNED);
    expect(json).toMatchObject({ step: 'Send the contract', dueDate: '2026-12-20', urgency: 'low' });
    expect(proposals).toEqual([]);
  });

  it('moves a next step whose day has passed', async () => {
    const late = { ...PLANNED, fields: { ...PLANNED.fields, nextStepDate: '2026-11-10' } };
    expect((await suggestedFor(late)).proposals).toMatchObject([
      { operation: 'deals.update', params: { nextStepDate: AS_OF } },
    ]);
  });

  it('suggests what is missing: as the next step of a deal that has none, as a task beside one', async () => {
    expect((await suggestedFor(without('nextStep', 'nextStepDate'))).proposals).toMatchObject([
      { operation: 'deals.update', params: { nextStep: 'Agree on the next step: Acme renewal' } },
    ]);
    const { proposals } = await suggestedFor(without('expectedCloseDate'));
    expect(proposals).toMatchObject([
      { operation: 'tasks.create', target: null, params: { name: 'Ask when the decision falls: Acme renewal' } },
    ]);
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
