import { DEAL, NEWS, runLocal as run } from '#libs/testing/local-runs.js';

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

  it('names words as they are written', async () => {
    const text = 'Refund my invoices.';
    expect((await run('text.classify', { text, labels })).json).toMatchObject({
      reason: 'Shared words: invoices, refund.',
    });
    expect((await run('ticket.triage', { body: text })).json).toMatchObject({ tags: ['refund', 'invoices'] });
  });

  it('extracts what stands for personal data that may not leave', async () => {
    const text = 'Customer [EMAIL_1], or [EMAIL_2], phone [PHONE_1].';
    const fields = [
      { name: 'email', type: 'email', many: true },
      { name: 'phone', type: 'phone' },
    ];
    expect((await run('text.extract', { text, fields })).json).toEqual({
      email: ['[EMAIL_1]', '[EMAIL_2]'],
      phone: '[PHONE_1]',
    });
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
