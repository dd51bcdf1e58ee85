import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { makeTemplate, PATH, refusedAs, type Refusal, rendered } from './template-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const TOO_COSTLY = { status: 400, pointer: '/body', code: 'template_too_costly' };
const repeated = (times: number, body: string) => `{% for i in (1..${times}) %}${body}{% endfor %}`;

it.each<[string, string, object?]>([
  ['a loop of 10^9', repeated(1_000_000_000, 'x')],
  ['nested loops without contents', repeated(3_000, repeated(3_000, ''))],
  ['40 nested loops', '{% for i in (1..2) %}'.repeat(40) + 'x' + '{% endfor %}'.repeat(40)],
  ['text that doubles', `{% assign a = 'xxxxxxxxxx' %}${repeated(60, '{% assign a = a | append: a %}')}{{ a }}`],
  ['lists that double', `{% assign a = '1,2' | split: ',' %}${repeated(60, '{% assign a = a | concat: a %}')}`],
  ['text that is replaced by more', repeated(60, '{% assign b = b | replace: "a", "aaaaaaaaaaaaaaaa" %}'), { b: 'a' }],
  ['more output than allowed', repeated(2_000, '{{ b }}'), { b: 'x'.repeat(1_000) }],
  [
    'sorting again and again',
    `{% assign a = b | split: '' %}${repeated(900, '{% assign a = a | reverse | sort %}')}`,
    { b: 'ab'.repeat(9_000) },
  ],
  ['51 nested conditions', '{%if 1%}'.repeat(51) + 'x' + '{%endif%}'.repeat(51)],
])('refuses %s', async (_, body, data = {}) => {
  expect(await refusedAs(tenant, body, data)).toEqual(TOO_COSTLY);
  expect((await rendered(tenant, '{{ a }}', { a: 1 })).content).toBe('1'); // the next one is not affected
});

it('goes on answering others while a template uses up its time', async () => {
  const other = await platform.tenant();
  const body = repeated(900, '{% assign a = b | split: "" | sort | join: "" %}');
  const data = { b: 'ba'.repeat(9_000) };
  let pending = true;
  const hostile = Promise.all([1, 2, 3, 4].map(() => refusedAs(tenant, body, data))).finally(() => (pending = false));
  let served = 0;
  let waited = 0;
  do {
    expect((await rendered(other, 'x')).content).toBe('x');
    served += 1;
    if (pending) waited += 1;
  } while (pending);
  expect(await hostile).toEqual([TOO_COSTLY, TOO_COSTLY, TOO_COSTLY, TOO_COSTLY]);
  expect(served).toBeGreaterThan(0);
  expect(waited).toBeGreaterThan(0);
});

it('reaches nothing but the data', async () => {
  const paths = [
    'constructor',
    'x.constructor',
    'x.__proto__',
    'x.toString',
    'x.hasOwnProperty',
    'x.valueOf',
    "x['constructor']",
  ];
  const body = paths.map((path) => `{{ ${path} }}`).join('|');
  expect((await rendered(tenant, body, { x: { y: 1 } }, { format: 'text' })).content).toBe('||||||');
  await rendered(tenant, '{% assign __proto__ = "x" %}{% assign constructor = "x" %}{% assign toString = "x" %}');
  expect((await rendered(tenant, '{{ a.x }}{{ toString }}{{ process.env }}{{ global }}', { a: {} })).content).toBe('');
});

it.each([
  ['a tag that reads files', "{% include '/etc/passwd' %}"],
  ['a layout', "{% layout '/etc/passwd' %}"],
  ['a path instead of a key', "{% render '../../etc/passwd' %}"],
  ['a key in a variable', '{% render a %}'],
  ['a key that is a template', "{% render '{{ a }}' %}"],
  ['a filter that leaves out the escaping', '{{ a | raw }}'],
  ['a filter that does not exist', '{{ a | exec }}'],
  ['an open tag', '{% if a %}'],
  ['open braces', '{{'.repeat(20_000)],
])('refuses %s', async (_, body) => {
  expect(await refusedAs(tenant, body)).toEqual({ status: 400, pointer: '/body', code: 'template_invalid' });
  const saved = await tenant.api.post<Refusal>(PATH, { name: 'A', kind: 'generic', body });
  expect([saved.status, saved.body.errors![0]!.code]).toEqual([400, 'template_invalid']);
});

it.each<[string, string, object?]>([
  ['scripts', '<SCRIPT>alert(1)</SCRIPT>'],
  ['handlers', '<img src="x" OnError=alert(1)>'],
  ['handlers behind a quoted bracket', '<a title=">" onclick="x()">'],
  ['frames', '<iframe srcdoc="x"></iframe>'],
  ['drawings with code', '<svg/onload=alert(1)>'],
  ['addresses that run code', '<a href=" java&#115;cript&colon;alert(1)">x</a>'],
  ['addresses in data', '<a href="{{ url }}">x</a>', { url: 'java\tscript:alert(1)' }],
  ['tags that data complete', '<{{ name }} src=x>', { name: 'x' }],
  ['styles that load', '<p style="background: url(//x)">x</p>'],
  ['refreshing pages', '<meta http-equiv="refresh" content="0">'],
])('refuses HTML with %s', async (what, body, data = {}) => {
  if (what === 'tags that data complete') {
    const { content } = await rendered(tenant, body, { name: '<script>' });
    expect(content).toBe('<&lt;script&gt; src=x>');
  } else expect(await refusedAs(tenant, body, data)).toEqual({ status: 400, pointer: '/body', code: 'active_content' });
});

it.each([
  '@import "x";',
  'p { background: url(x) }',
  'p { background: image-set("x" 1x) }',
  '</style><script>',
  'p { c: u\\72l(x) }',
  '@font-face { src: x }',
  'a { width: expression(1) }',
])('refuses the styles %s', async (styles) => {
  expect(await refusedAs(tenant, 'x', {}, { styles })).toEqual({
    status: 400,
    pointer: '/styles',
    code: 'forbidden_style',
  });
});

it('takes styles only with HTML', async () => {
  expect((await refusedAs(tenant, 'x', {}, { styles: 'p {}', format: 'text' })).code).toBe('not_with_format');
  expect(
    (await rendered(tenant, 'x', {}, { styles: '@page { margin: 2cm } @media print { p { color: red } }' })).content,
  ).toContain('@page');
});

it.each<[string, object]>([
  ['references', { $ref: 'https://json.example/schema' }],
  ['references to itself', { type: 'object', properties: { a: { $ref: '#' } } }],
  ['combinations', { anyOf: [{ type: 'object' }] }],
  ['unknown keywords', { type: 'object', run: 'x' }],
  [
    'patterns that are too large',
    { type: 'object', properties: { a: { type: 'string', pattern: '((a{1,30}){1,30}){1,9}' } } },
  ],
  ['patterns that look back', { type: 'object', properties: { a: { type: 'string', pattern: '(a)\\1' } } }],
  ['no schema at all', { type: 'nothing' }],
])('refuses schemas with %s', async (_, variablesSchema) => {
  expect(await refusedAs(tenant, 'x', {}, { variablesSchema })).toEqual({
    status: 400,
    pointer: '/variablesSchema',
    code: 'schema_invalid',
  });
});

it('matches patterns of schemas in linear time', async () => {
  const variablesSchema = {
    type: 'object',
    properties: { a: { type: 'string', pattern: '^(a+)+$' } },
    required: ['a'],
  };
  const { warnings } = await rendered(tenant, 'x', { a: `${'a'.repeat(20_000)}b` }, { variablesSchema });
  expect(warnings.join()).toContain('pattern');
});

it('limits the sizes of what is sent', async () => {
  const post = (more: object) => tenant.api.post<Refusal>(PATH, { name: 'A', kind: 'generic', body: 'x', ...more });
  expect((await post({ body: 'x'.repeat(100_001) })).body.errors).toMatchObject([
    { pointer: '/body', code: 'too_long' },
  ]);
  expect((await post({ styles: 'x'.repeat(20_001) })).body.errors).toMatchObject([{ code: 'too_long' }]);
  const large = { description: 'x'.repeat(20_001) };
  expect((await post({ variablesSchema: large })).body.errors).toMatchObject([{ code: 'too_long' }]);
  expect((await post({ preview: { data: { a: 'x'.repeat(500_001) } } })).body.errors).toMatchObject([
    { code: 'too_long' },
  ]);
  expect((await post({ body: 'x'.repeat(1_100_000) })).status).toBe(413);
  expect((await post({ preview: { data: { a: 1 }, more: 1 } })).body.errors).toMatchObject([{ code: 'unknown_field' }]);
  const literal = '{"name":"A","kind":"generic","body":"x","preview":{"data":{"__proto__":{"a":1}}}}';
  expect((await tenant.api.post<Refusal>(PATH, literal)).body.code).toBe('malformed_json');
});

it('includes at most 20 templates', async () => {
  const keys = Array.from({ length: 21 }, (_, index) => `part-${index}`);
  for (const key of keys) await makeTemplate(tenant, { key, body: 'x' }, true);
  const body = keys.map((key) => `{% render '${key}' %}`);
  expect(await refusedAs(tenant, body.join(''))).toEqual(TOO_COSTLY);
  expect((await rendered(tenant, body.slice(1).join(''))).content).toBe('x'.repeat(20));
});
