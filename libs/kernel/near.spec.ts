import { mistakesBetween, nearest } from './near.js';

it.each([
  ['email', ['emails', 'phones'], 'emails'],
  ['owner', ['ownerId', 'ownerId[in]', 'name'], 'ownerId'],
  ['owner_id', ['ownerId'], 'ownerId'],
  ['OwnerID', ['ownerId'], 'ownerId'],
  ['nmae', ['name', 'names'], 'name'],
  ['curency', ['currency'], 'currency'],
  ['expectedClosDat', ['expectedCloseDate'], 'expectedCloseDate'],
  ['amount', ['amountMinor', 'accountId'], 'amountMinor'],
  ['-createdat', ['createdAt', '-createdAt'], '-createdAt'],
  ['id', ['ids', 'name'], null],
  ['na', ['name'], null],
  ['colour', ['name', 'ownerId'], null],
  ['', ['name'], null],
  ['x'.repeat(61), ['x'.repeat(62)], null],
])('%j of %j is %j', (word, names, expected) => {
  expect(nearest(word, names)).toBe(expected);
});

it.each([
  ['deal', 'deals', 2, 1],
  ['dael', 'deal', 2, 1],
  ['deal', 'deal', 0, 0],
  ['kitten', 'sitting', 3, 3],
  ['kitten', 'sitting', 2, Infinity],
  ['', 'ab', 2, 2],
  ['abc', '', 2, Infinity],
])('from %j to %j, at most %d mistakes', (a, b, most, expected) => {
  expect(mistakesBetween(a, b, most)).toBe(expected);
  expect(mistakesBetween(b, a, most)).toBe(expected);
});
