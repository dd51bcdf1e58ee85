// npm run new:type -- <area> <noun> <plural>, e.g. `sales territory territories`: generates a plain record type with
// its service, migration, permissions and tests, and registers it. Review the generated code and extend it.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fail, findNode, main, run } from './project.mjs';

const KEBAB = /^[a-z]+(-[a-z]+)*$/;

await main(async ([area = '', noun = '', plural = '', ...others]) => {
  if (![area, noun, plural].every((word) => KEBAB.test(word)) || others.length > 0)
    fail(
      'Usage: npm run new:type -- <area> <noun> <plural>, in lower case with hyphens, e.g. sales territory territories',
    );
  const type = namesOf(area, noun, plural);
  for (const file of [type.module, type.recordsModule, type.migrations, type.entities, type.fixtures])
    if (!existsSync(file)) fail(`${file} does not exist: create the area first.`);
  if (existsSync(`src/areas/${area}/${plural}`)) fail(`The folder src/areas/${area}/${plural} already exists.`);
  const files = [
    write(`src/areas/${area}/${plural}/${noun}.ts`, declaration(type)),
    write(`src/areas/${area}/${plural}/${plural}.service.ts`, service(type)),
    write(`src/database/migrations/${type.stamp}-${plural}.ts`, migration(type)),
    write(`test/e2e/${area}/${plural}.spec.ts`, spec(type)),
    ...register(type),
  ];
  const code = await run(findNode(), [
    'node_modules/prettier/bin/prettier.cjs',
    '--log-level=warn',
    '--write',
    ...files,
  ]);
  if (code !== 0) return code;
  process.stdout.write(`Written:\n${files.map((file) => `  ${file}\n`).join('')}
Next:
  1. Declare its fields in src/areas/${area}/${plural}/${noun}.ts, with their columns and indexes in the migration.
  2. npm run build && npm run openapi -- --write && npm run docs
  3. npm test -- test/e2e/${area}/${plural} test/contract test/tenancy/list-plans
`);
  return 0;
});

function namesOf(area, noun, plural) {
  const pascal = (words) => words.replaceAll(/(^|-)([a-z])/g, (_, __, letter) => letter.toUpperCase());
  const camel = (words) => pascal(words).replace(/^[A-Z]/, (letter) => letter.toLowerCase());
  const stamps = readdirSync('src/database/migrations').map((file) => Number(file.slice(0, 13)) || 0);
  const table = `data.${area}_${plural}`.replaceAll('-', '_');
  return {
    ...{ area, noun, plural, words: noun.replaceAll('-', ' '), table },
    ...{ class: pascal(noun), classes: pascal(plural), constant: camel(plural), one: camel(noun) },
    ...{ type: `${area}.${noun.replaceAll('-', '_')}`, prefix: noun.replaceAll('-', '').slice(0, 4).toUpperCase() },
    ...{ stamp: Math.max(...stamps) + 1, path: `/api/v1/${area}/${plural}` },
    ...{ operations: `${area}.${plural}`.replaceAll('-', '_'), caps: area.replaceAll('-', '_').toUpperCase() },
    ...{ module: `src/areas/${area}/${area}.module.ts`, recordsModule: `src/areas/${area}/${area}-records.module.ts` },
    ...{ entities: `src/areas/${area}/${area}.entities.ts`, fixtures: `test/matrix/fixtures/${area}.ts` },
    migrations: `src/database/areas/${area}.migrations.ts`,
  };
}

function declaration({ area, plural, words, class: name, constant, prefix }) {
  const one = JSON.stringify(words).replaceAll('"', "'");
  return `import { text } from '#libs/http/field.js';
import { stateless } from '#libs/kernel/lifecycle.js';
import { Attribute } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType } from '#libs/resource/types/record-type.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';

export class ${name} extends RecordRow {
  @Attribute(text({ max: 5_000 }), 'Description, as plain text.', { nullable: true })
  description!: string | null;
}

export const ${constant} = recordType(${name}, {
  area: '${area}',
  collection: '${plural}',
  noun: ${one},
  prefix: '${prefix}',
  permissions: { read: '${plural}:read', write: '${plural}:write' },
  name: { example: 'First ${words}' },
  lifecycle: stateless({
    ...archiveActions(${one}, ['active'], '${plural}:write'),
    ...trashActions(${one}, ['active'], '${plural}:delete', 'medium'),
  }),
});
`;
}

function service({ noun, class: name, classes, constant }) {
  return `import { Injectable } from '@nestjs/common';
import type { Decisions } from '#libs/resource/types/decisions.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { type ${name}, ${constant} } from './${noun}.js';

@Injectable()
export class ${classes}Service implements Decisions<${name}> {
  readonly records: Records<${name}>;

  constructor(kit: ResourceKit) {
    this.records = Records.of(${constant}, kit, this);
  }
}
`;
}

function migration({ stamp, classes, table, type, words }) {
  const [, name] = table.split('.');
  return `import type { MigrationInterface, QueryRunner } from 'typeorm';
import { alphabetIndex } from '#libs/database/alphabet.js';
import { guardHeldRecords } from '#libs/database/legal-holds.js';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { foldWords, searchedWords, searchFunction } from '#libs/database/search.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

/** Table of the type ${words}. */
export class ${classes}${stamp} implements MigrationInterface {
  name = '${classes}${stamp}';

  async up(runner: QueryRunner): Promise<void> {
    const { app, system } = migrationRoles();
    await recordTable(
      runner,
      '${table}',
      '${type}',
      \`description text check (length(description) <= 5000),
      search tsvector not null generated always as (\${searchedWords(\`name || ' ' || reference\`)}) stored\`,
    );
    await guardHeldRecords(runner, '${table}', '${type}');
    await listIndexes(runner, '${table}', { sorts: ['updated_at'] });
    await alphabetIndex(runner, '${table}', 'name');
    await searchFunction(runner, '${table}');
    await runner.query('drop index data.${name}_search_idx');
    await foldWords(runner, '${table}');
    await runner.query(\`grant execute on all functions in schema data to \${app}, \${system}\`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
`;
}

function spec({ path, plural, words, type }) {
  return `import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const PATH = '${path}';

describe('${plural.replaceAll('-', ' ')}', () => {
  it('are created, searched, changed and deleted', async () => {
    const made = await tenant.api.post<{ id: string }>(PATH, { name: 'First ${words}' });
    expect(made).toMatchObject({ status: 201, body: { object: '${type}', description: null } });
    const { id } = made.body;
    const found = await tenant.api.get<{ data: { id: string }[] }>(\`\${PATH}?q=first\`);
    expect(found.body.data.map((each) => each.id)).toEqual([id]);
    const changed = await tenant.api.patch(\`\${PATH}/\${id}\`, { description: 'More about it' });
    expect(changed).toMatchObject({ status: 200, body: { version: 2, description: 'More about it' } });
    expect((await tenant.api.delete(\`\${PATH}/\${id}\`)).status).toBe(200);
    expect((await tenant.api.get(\`\${PATH}/\${id}\`)).status).toBe(404);
  });
});
`;
}

/** Adds a type to the lists of its area and its permissions to those of the platform; returns the changed files. */
function register(type) {
  const { area, noun, plural, class: name, classes, constant, stamp, caps } = type;
  const service = `import { ${classes}Service } from './${plural}/${plural}.service.js';\n`;
  return [
    edit(type.module, (text) =>
      addImport(
        addImport(into(text, /controllers: \[/, `controllerOf(${constant}, ${classes}Service),`), service),
        `import { ${constant} } from './${plural}/${noun}.js';\n`,
        text.includes('controllerOf }')
          ? ''
          : `import { controllerOf } from '#libs/resource/routes/controller-of.js';\n`,
      ),
    ),
    edit(type.recordsModule, (text) =>
      addImport(into(text, /(SERVICES = |providers: )\[/, `${classes}Service,`), service),
    ),
    edit(type.entities, (text) =>
      addImport(into(text, /EntityClass\[\] = \[/, `${name},`), `import { ${name} } from './${plural}/${noun}.js';\n`),
    ),
    edit(type.migrations, (text) =>
      addImport(
        into(text, /_MIGRATIONS = \[/, `${classes}${stamp},`),
        `import { ${classes}${stamp} } from '../migrations/${stamp}-${plural}.js';\n`,
      ),
    ),
    edit('libs/auth/permissions.ts', (text) =>
      [
        `'${plural}:delete': 'Delete and restore ${plural.replaceAll('-', ' ')}',`,
        `'${plural}:read': 'Read ${plural.replaceAll('-', ' ')}',`,
        `'${plural}:write': 'Create and edit ${plural.replaceAll('-', ' ')}',`,
      ].reduce((whole, entry) => inOrder(whole, 'PERMISSIONS = {', entry), text),
    ),
    edit('libs/auth/roles.ts', (text) => inOrder(text, 'BUSINESS = [', `'${plural}',`)),
    edit(type.fixtures, (text) =>
      addImport(
        text.replace(
          new RegExp(`(export const ${caps}_FIXTURES[^\\n]*\\{\\n)`),
          `$1  ...ofType(${constant}).fixtures,\n`,
        ),
        `import { ${constant} } from '#src/areas/${area}/${plural}/${noun}.js';\n`,
        text.includes('ofType') ? '' : `import { ofType } from '../fixture-parts.js';\n`,
      ),
    ),
  ];

  function addImport(text, ...lines) {
    return lines.filter(Boolean).reduce((whole, line) => {
      const at = whole.lastIndexOf('\nimport ');
      const end = whole.indexOf(';\n', at) + 2;
      return whole.slice(0, end) + line + whole.slice(end);
    }, text);
  }
}

/** Inserts an entry at the beginning of a list. */
function into(text, list, entry) {
  if (!list.test(text)) fail(`A list that matches ${list} is missing.`);
  return text.replace(list, (start) => `${start}\n  ${entry}`);
}

/** Inserts a line into an alphabetically sorted list. */
function inOrder(text, list, line) {
  const lines = text.split('\n');
  const start = lines.findIndex((each) => each.includes(list));
  const next = lines.findIndex((each, at) => at > start && (!each.startsWith("  '") || each.trim() > line));
  return lines.toSpliced(next, 0, `  ${line}`).join('\n');
}

function edit(file, change) {
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  if (after === before) fail(`${file} has no place for the type.`);
  writeFileSync(file, after);
  return file;
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
