import { addressSpelling, domainOf, domainOfAddress } from './domain.js';

it.each([
  ['acme.example', 'acme.example'],
  ['ACME.Example', 'acme.example'],
  ['münchen.de', 'xn--mnchen-3ya.de'],
  ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
  ['почта.рф', 'xn--80a1acny.xn--p1ai'],
  ['xn--d1abbgf6aiiy.xn--p1ai', 'xn--d1abbgf6aiiy.xn--p1ai'],
  ['faß.de', 'xn--fa-hia.de'],
  ['acme', null],
  ['192.0.2.1', null],
  ['a b.example', null],
  ['-a.example', null],
  ['', null],
])('%s is the domain %s', (text, domain) => expect(domainOf(text)).toBe(domain));

it.each([
  ['Hans@Müller.de', 'Hans@xn--mller-kva.de'],
  ['Hans@ACME.example', 'Hans@ACME.example'],
  ['ha\u200bns@ac\u00adme.example', 'hans@acme.example'],
])('%s is kept as %s', (address, kept) => {
  expect(addressSpelling(address)).toBe(kept);
  expect(domainOfAddress(address)).toBe(domainOfAddress(kept));
});
