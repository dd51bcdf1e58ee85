import {
  actionsFrom,
  checkLifecycle,
  closedStates,
  invalidTransition,
  lifecycle,
  type Transition,
} from './lifecycle.js';

const edge = <S extends string>(from: S[], to: S | null, more: Partial<Transition<S>> = {}): Transition<S> => ({
  from,
  to,
  permission: 'doors:use',
  event: 'moved',
  summary: 'Move a door',
  happened: 'A door moved.',
  ...more,
});
const gate = (key: string, ...past: string[]) => ({ gate: { key, past } });
const known = { permissions: new Set(['doors:use']), handlers: new Set(['open', 'close', 'paint']) };
const doors = lifecycle({
  states: ['shut', 'ajar'],
  initial: 'shut',
  transitions: { open: edge(['shut'], 'ajar'), close: edge(['ajar'], 'shut'), paint: edge(['shut', 'ajar'], null) },
});

describe('a table that is not sound does not start', () => {
  it('passes a sound one', () => {
    expect(() => checkLifecycle('door', doors, known)).not.toThrow();
  });

  it.each([
    ['an unknown initial state', { ...doors, initial: 'lost' }, 'unknown initial state lost'],
    ['a state that nothing leads to', { ...doors, states: ['shut', 'ajar', 'gone'] }, 'state gone cannot be reached'],
    [
      'a state that only unreachable states lead to',
      { ...doors, states: ['shut', 'ajar', 'x', 'y'], transitions: { ...doors.transitions, paint: edge(['x'], 'y') } },
      'state y cannot be reached',
    ],
    [
      'an edge from an unknown state',
      { ...doors, transitions: { ...doors.transitions, open: edge(['shut', 'nowhere'], 'ajar') } },
      'open names the unknown state nowhere',
    ],
    [
      'an edge to an unknown state',
      { ...doors, transitions: { ...doors.transitions, paint: edge(['shut'], 'red') } },
      'paint names the unknown state red',
    ],
    [
      'an unknown permission',
      { ...doors, transitions: { ...doors.transitions, open: edge(['shut'], 'ajar', { permission: 'doors:kick' }) } },
      'open needs the unknown permission doors:kick',
    ],
    [
      'an action without a handler',
      { ...doors, transitions: { ...doors.transitions, burn: edge(['shut'], null) } },
      'burn has no handler',
    ],
    [
      'a gate that is passed in an unknown state',
      { ...doors, transitions: { ...doors.transitions, open: edge(['shut'], 'ajar', gate('door.open', 'gone')) } },
      'the gate of open names the unknown state gone',
    ],
    [
      'a way around a gate',
      {
        ...doors,
        transitions: {
          ...doors.transitions,
          open: edge(['shut'], 'ajar', gate('door.open', 'ajar')),
          paint: edge(['shut'], 'ajar'),
        },
      },
      'paint leads past the gate door.open without it',
    ],
    [
      'two gates that are passed in one state',
      {
        ...doors,
        transitions: {
          ...doors.transitions,
          open: edge(['shut'], 'ajar', gate('door.open', 'ajar')),
          paint: edge(['shut', 'ajar'], null, gate('door.paint', 'ajar')),
        },
      },
      'two gates have been passed in ajar',
    ],
  ])('refuses %s', (_, table, fault) => {
    expect(() => checkLifecycle('door', table, known)).toThrow(fault);
  });

  it('refuses a handler that belongs to no action', () => {
    const handlers = new Set([...known.handlers, 'slam']);
    expect(() => checkLifecycle('door', doors, { ...known, handlers })).toThrow('slam belongs to no transition');
  });

  it('names every fault at once', () => {
    const table = { ...doors, states: ['shut', 'ajar', 'gone'], initial: 'lost' };
    const check = () => checkLifecycle('door', table, { permissions: new Set(), handlers: new Set() });
    for (const fault of ['lost', 'gone', 'open has no handler', 'close needs the unknown permission'])
      expect(check).toThrow(fault);
  });
});

describe('the table answers', () => {
  it('which actions lead out of a state', () => {
    expect(actionsFrom(doors, 'shut')).toEqual(['open', 'paint']);
    expect(actionsFrom(doors, 'ajar')).toEqual(['close', 'paint']);
  });

  it('with 409 and what is allowed instead', () => {
    const problem = invalidTransition('open', { state: 'ajar', stage: 'half' }, ['close']);
    expect(problem.toDocument('req_12345678')).toMatchObject({
      status: 409,
      code: 'invalid_transition',
      state: 'ajar',
      stage: 'half',
      action: 'open',
      allowedActions: ['close'],
    });
  });
});

describe('the states in which a record is over', () => {
  it('are those that nothing leads from, or only what takes it up again or the platform itself does', () => {
    const cases = lifecycle({
      states: ['open', 'held', 'won', 'lost', 'paid', 'gone'],
      initial: 'open',
      transitions: {
        hold: edge(['open'], 'held'),
        resume: edge(['held'], 'open'),
        win: edge(['open', 'lost'], 'won'),
        lose: edge(['open', 'won'], 'lost'),
        reopen: edge(['won', 'lost'], 'open'),
        pay: edge(['open'], 'paid'),
        send: edge(['paid'], null),
        release: edge(['paid'], 'open', { byPlatform: true }),
        scrap: edge(['held'], 'gone'),
      },
    });
    expect(closedStates(cases)).toEqual(['won', 'lost', 'paid', 'gone']);
  });

  it('are none where there is but one', () => {
    const products = lifecycle({
      states: ['active'],
      initial: 'active',
      transitions: { paint: edge(['active'], null) },
    });
    expect(closedStates(products)).toEqual([]);
  });
});
