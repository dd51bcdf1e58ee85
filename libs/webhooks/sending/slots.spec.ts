import { Slots } from './slots.js';

describe('slots', () => {
  let slots: Slots<{ number: number }>;
  let taken: number[];
  const take = (number: number) => slots.take({ number });
  beforeEach(() => {
    slots = new Slots(2, ({ number }) => taken.push(number));
    taken = [];
    for (let each = 1; each <= 5; each++) take(each);
  });

  it('are taken up to their number, and one that is given back by the first in line', () => {
    expect(taken).toEqual([1, 2]);
    slots.giveBack();
    expect(taken).toEqual([1, 2, 3]);
  });

  it('can become more, for those in line and for later ones', () => {
    slots.add(4);
    take(6);
    take(7);
    expect(taken).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('are there for everybody once they are open', () => {
    slots.open();
    take(6);
    expect(taken).toEqual([1, 2, 3, 4, 5, 6]);
  });
});
