import { within } from '#libs/kernel/action.js';
import { actionIn, command, entryOf, formViolations, rightsIn } from './command.js';
import { Field, id, integer, type ModelClass, nested, oneOf, text } from './field.js';
import { bodyViolations } from './validation.js';

class Params {
  @Field(integer({ min: 1, max: 9 }), { description: 'Days.', optional: true })
  days?: number;
}

class ChangeDoor {
  @Field(oneOf(['open', 'lend', 'burn']), { description: 'Action.', optional: true })
  action?: string;

  @Field(id(), { description: 'Key of the door.', optional: true })
  key?: string;

  @Field(nested(Params), { description: 'Parameters.', optional: true })
  params?: Params;

  @Field(text({ max: 10 }), { description: 'Reason.', optional: true })
  reason?: string;

  @Field(text({ max: 10 }), { description: 'Name.', optional: true })
  name?: string;
}

const KEY = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';
const door = command(
  ChangeDoor,
  {
    open: { may: [within('doors:use'), { permission: 'keys:read', object: 'key' }], takes: ['key'] },
    lend: { may: [within('doors:lend')], orHolder: 'ownerId', needs: ['params/days'], takes: ['reason'] },
    burn: { may: [{ permission: 'doors:burn' }], needs: ['reason'] },
  },
  { by: 'action', edits: { members: ['name'], may: within('doors:write') } },
);
const faultsOf = (body: object, model: ModelClass = ChangeDoor) =>
  bodyViolations(model, body).map(({ pointer, code }) => `${pointer} ${code}`);

describe('the form of a command', () => {
  it.each<[body: object, faults: string[]]>([
    [{}, []],
    [{ name: 'a' }, []],
    [{ action: 'open', key: KEY, name: 'a' }, []],
    [{ action: 'lend', params: { days: 1 }, reason: 'a' }, []],
    [{ action: 'burn' }, ['/reason required']],
    [{ action: 'lend', params: {}, key: KEY }, ['/params/days required', '/key not_with_action']],
    [{ action: 'open', params: { days: 1 } }, ['/params/days not_with_action']],
    [{ reason: 'a' }, ['/reason not_with_action']],
    [{ action: 'burn', reason: 1 }, ['/reason invalid_type']],
    [{ action: 'sell', reason: 'a' }, ['/action invalid_value']],
  ])('%j: %j', (body, faults) => {
    expect(faultsOf(body)).toEqual(faults);
  });

  it('has faults of its own besides', () => {
    class LendDoor extends ChangeDoor {}
    const also = ({ params }: object & { params?: unknown }, action?: string) =>
      params ? [{ at: '/params/days', code: `${action}_late`, detail: 'Too late.' }] : [];
    command(LendDoor, { lend: { needs: ['key'] } }, { by: 'action', also });
    expect(faultsOf({ action: 'lend', params: {} }, LendDoor)).toEqual(['/key required', '/params/days lend_late']);
  });

  it('can be left to the service', () => {
    class BurnDoor extends ChangeDoor {}
    const burn = command(BurnDoor, { burn: { needs: ['reason'] } }, { by: 'action', checkedBy: 'service' });
    expect(faultsOf({ action: 'burn' }, BurnDoor)).toEqual([]);
    expect(formViolations(burn, { action: 'burn' }, '/doors/0')).toMatchObject([
      { pointer: '/doors/0/reason', code: 'required' },
    ]);
  });

  it('is refused at start if it names a member that the body has not', () => {
    expect(() => command(Params, { open: { takes: ['hours'] } }, { by: 'days' })).toThrow('no members hours');
  });
});

describe('the rights to a command', () => {
  it('are those of its action and of its edits, but not where a holder needs none', () => {
    const needed = (body: object) => rightsIn(ChangeDoor, body).map(({ permission }) => permission);
    expect(needed({ action: 'open' })).toEqual(['doors:use', 'keys:read']);
    expect(needed({ action: 'burn', name: 'a' })).toEqual(['doors:write', 'doors:burn']);
    expect(needed({ action: 'lend' })).toEqual([]);
    expect(needed({})).toEqual([]);
    expect(rightsIn(Params, {})).toEqual([]);
  });

  it('make the entry of the route', () => {
    expect(entryOf(door)).toEqual({
      permission: 'doors:write',
      parts: ['doors:use', 'doors:lend', 'doors:burn'],
      withinReach: true,
    });
  });

  it('follow the action that a body implies', () => {
    const implied = command(Params, { few: {}, many: {} }, { by: 'days', otherwise: () => 'few' });
    expect(actionIn(implied, {})).toBe('few');
    expect(actionIn({ ...implied, otherwise: 'many' }, {})).toBe('many');
  });
});
