import { setImmediate as turn } from 'node:timers/promises';
import { Slots } from './slots.js';

describe('slots', () => {
  let slots: Slots;
  let taken: number[];
  beforeEach(() => {
    slots = new Slots(2);
    taken = [];
    for (let each = 1; each <= 5; each++) void slots.take().then(() => taken.push(each));
  });

  const after = async (change: () => void): Promise<number[]> => {
    change();
    await turn();
    return taken;
  };

  it('are taken up to their number, and one that is given back by the first in line', async () => {
    expect(await after(() => undefined)).toEqual([1, 2]);
    expect(await after(() => slots.giveBack())).toEqual([1, 2, 3]);
  });

  it('can become more, for those in line and for later ones', async () => {
    expect(await after(() => slots.add(4))).toEqual([1, 2, 3, 4, 5]);
    await slots.take();
    expect(await after(() => void slots.take().then(() => taken.push(7)))).not.toContain(7);
  });

  it('are there for everybody once they are open', async () => {
    expect(await after(() => slots.open())).toEqual([1, 2, 3, 4, 5]);
    await slots.take();
  });
});
