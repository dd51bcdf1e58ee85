import { getMetadataStorage } from 'class-validator';
import { Field, flag, listOf, nested, objectFaults, oneOf, text } from './field.js';

class Price {
  @Field(oneOf(['USD', 'EUR']), { description: 'Currency.' })
  currency!: string;
}

class Base {
  @Field(text({ min: 1, max: 10 }), { description: 'Name.' })
  name!: string;
}

class Product extends Base {
  @Field(listOf(nested(Price), { max: 3 }), { description: 'Prices.', optional: true, nullable: true })
  prices!: Price[] | null;
}

class Shown {
  @Field(flag(), { description: 'Whether it is shown.' })
  shown!: boolean;
}

const rulesOf = (model: new () => object) =>
  getMetadataStorage().getTargetValidationMetadatas(model, '', false, false).length;

test('finds every fault at once, inherited and nested ones with their places', () => {
  const prices = [{ currency: 'USD' }, { currency: 'CHF', x: 1 }, null, {}];
  expect(objectFaults(Product, { name: '', prices: prices.slice(0, 3), other: 1 })).toEqual([
    expect.objectContaining({ at: '/other', code: 'unknown_field' }),
    { at: '/name', code: 'too_short', detail: 'The text must have at least 1 character.' },
    expect.objectContaining({ at: '/prices/1/x', code: 'unknown_field' }),
    { at: '/prices/1/currency', code: 'invalid_value', detail: 'The value must be one of USD, EUR.' },
    { at: '/prices/2', code: 'not_nullable', detail: 'The item cannot be null.' },
  ]);
  expect(objectFaults(Product, { prices }).map(({ at, code }) => [at, code])).toEqual([
    ['/name', 'required'],
    ['/prices', 'too_many'],
  ]);
  expect(objectFaults(Product, { name: 'x', prices: null })).toEqual([]);
});

test('is not led astray by members that have a meaning in JavaScript', () => {
  const given = { name: 'x', constructor: Object, hasOwnProperty: 1, toString: 1 };
  expect(objectFaults(Product, given).map(({ at }) => at)).toEqual(['/constructor', '/hasOwnProperty', '/toString']);
  expect(objectFaults(Base, JSON.parse('{ "__proto__": { "name": "x" } }'))).toHaveLength(2);
});

test('class-validator knows the rules of what is taken in, each once, and of nothing else', () => {
  objectFaults(Base, {});
  objectFaults(Product, {});
  objectFaults(Product, {});
  expect([rulesOf(Base), rulesOf(Product), rulesOf(Shown)]).toEqual([1, 2, 0]);
});
