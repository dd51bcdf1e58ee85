import type { ModelMessage, ToolSpec } from '../provider.js';
import { DEAL, runLocal as run } from '#libs/testing/local-runs.js';

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

  /** Simulates the platform: returns a result for each tool call. */
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
