import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { permissionNames } from '#libs/auth/permissions.js';
import { SYSTEM_ROLES } from '#libs/auth/roles.js';
import { SETTINGS } from '#libs/config/settings.js';
import { PROBLEMS } from '#libs/kernel/problem.js';
import { COMMANDS } from '#src/cli/commands.js';
import { checkFiles, writeFiles } from '#src/cli/project-files.js';
import { referencePages } from '#src/cli/reference-pages.js';

const pages = referencePages(COMMANDS);

test.each([
  ['settings', Object.keys(SETTINGS)],
  ['errors', Object.keys(PROBLEMS)],
  ['permissions', [...permissionNames(), ...Object.keys(SYSTEM_ROLES)]],
])('the page of %s lists all of them', (page, names) => {
  const text = pages[`docs/reference/${page}.md`]!;
  for (const name of names) expect(text).toContain(`| \`${name}\` |`);
});

test('the page of the operator commands has a section for every command', () => {
  for (const { name, options } of COMMANDS) {
    expect(pages['docs/reference/cli.md']).toContain(`\n## ${name}\n`);
    for (const option of Object.keys(options)) expect(pages['docs/reference/cli.md']).toContain(`--${option}`);
  }
});

test('every command that generates files takes --write and --check, and builds first', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  for (const name of ['openapi', 'schema', 'docs']) {
    expect(Object.keys(COMMANDS.find((command) => command.name === name)!.options)).toEqual(['write', 'check']);
    expect(scripts[name]).toBe(`exec node scripts/platform.mjs ${name}`);
  }
});

test('a limited permission of a role shows its reach', () => {
  const line = pages['docs/reference/permissions.md']!.split('\n').findLast((each) =>
    each.startsWith('| `deals:write`'),
  );
  const heading = Object.keys(SYSTEM_ROLES);
  const cells = line!.split('|').slice(2, -1).map((cell) => cell.trim()); // prettier-ignore
  expect(Object.fromEntries(heading.map((role, i) => [role, cells[i]]))).toMatchObject({
    owner: 'yes',
    manager: 'yes',
    member: 'own',
    viewer: '',
  });
});

describe('generated files', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'platform-docs-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test('a check fails on a missing or different file, names it and changes nothing', () => {
    expect(() => checkFiles(root, pages, 'docs')).toThrow(/^Not up to date: docs\/reference\/settings.md, .*-- docs"$/);
    writeFiles(root, pages);
    expect(() => checkFiles(root, pages, 'docs')).not.toThrow();
    writeFileSync(join(root, 'docs/reference/errors.md'), 'old');
    expect(() => checkFiles(root, pages, 'docs')).toThrow('Not up to date: docs/reference/errors.md; run');
    expect(readFileSync(join(root, 'docs/reference/errors.md'), 'utf8')).toBe('old');
  });

  test('writing reports what was not up to date', () => {
    expect(writeFiles(root, pages)).toEqual(Object.keys(pages));
    expect(writeFiles(root, pages)).toEqual([]);
    expect(readFileSync(join(root, 'docs/reference/errors.md'), 'utf8')).toBe(pages['docs/reference/errors.md']);
  });
});
