import fc from 'fast-check';
import { filled, templateViolations, variablesIn, variableViolations } from './template.js';

describe('templates', () => {
  it('name each variable once, in their order', () => {
    expect(variablesIn('{{b}} and {{ a }}, {{b}} {c} {{ }}')).toEqual(['b', 'a']);
  });

  it.each([
    '{{#if a}}x{{/if}}',
    '{{a.b}}',
    '{{a',
    'a}}',
    '{{ a | upper }}',
    '{{constructor()}}',
    '{{A}}',
    '{{  a  }}',
    '{{a\n}}',
  ])('refuse %j', (template) => {
    expect(templateViolations(template, '/template')).toEqual([
      expect.objectContaining({ pointer: '/template', code: 'invalid_template' }),
    ]);
  });

  it('take text with single braces, and no variables at all', () => {
    expect(templateViolations('{ "a": {{a}} } \\ $1 $& `x` ${y}', '/template')).toEqual([]);
    expect(templateViolations('', '/template')).toEqual([]);
  });

  it('have at most 50 variables', () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `{{v${n}}}`).join('');
    expect(templateViolations(many(50), '/t')).toEqual([]);
    expect(templateViolations(many(51), '/t')).toEqual([expect.objectContaining({ code: 'too_many' })]);
  });

  it('name every variable that is missing and every value too many', () => {
    const values = { b: 'x', 'c/~d': 'y', list: [1], nothing: null };
    const faults = variableViolations(['a', 'b', 'toString', 'list', 'nothing'], values, '/prompt/variables');
    expect(faults.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/prompt/variables/a', 'missing_variable'],
      ['/prompt/variables/toString', 'missing_variable'],
      ['/prompt/variables/c~1~0d', 'unknown_variable'],
      ['/prompt/variables/list', 'invalid_type'],
      ['/prompt/variables/nothing', 'invalid_type'],
    ]);
  });

  it('put values in as text, once', () => {
    expect(filled('{{a}}-{{ b }}-{{a}}', { a: '{{b}}', b: '$& $1' })).toBe('{{b}}-$& $1-{{b}}');
    expect(filled('{{n}} {{yes}}', { n: 3, yes: false })).toBe('3 false');
  });

  it('keep what stands around variables', () => {
    const plain = fc.string({ maxLength: 20 }).filter((text) => !/[{}]/.test(text));
    fc.assert(
      fc.property(fc.array(plain, { maxLength: 6 }), fc.string(), (parts, value) => {
        expect(filled(parts.join('{{v}}'), { v: value })).toBe(parts.join(value));
      }),
    );
  });
});
