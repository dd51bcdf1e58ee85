import fc from 'fast-check';
import { itemsOf, listText } from './list-text.js';

it.each([
  ['a,b', ['a', 'b']],
  ['', ['']],
  ['a,', ['a', '']],
  ['"Smith, Jones",Other', ['Smith, Jones', 'Other']],
  ['"a ""b"""', ['a "b"']],
  ['5" pipe', ['5" pipe']],
  ['"",a"', ['', 'a"']],
  // A quote that nothing closes is somebody's mistake. Read as a character, it would find nothing and say nothing.
  ['"open,b', null],
  ['a,"open', null],
  ['"a"b,c', null],
  ['"', null],
])('%s has the items %j', (text, items) => expect(itemsOf(text)).toEqual(items));

it('reads what it writes', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', ',', '"', ' ') }), { minLength: 1 }), (items) => {
      expect(itemsOf(listText(items))).toEqual(items);
    }),
  );
});
