// The texts of the files that npm run new:type writes.

export function declaration({ recordArea: area, plural, words, class: name, constant, prefix }) {
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

declare module '#libs/auth/permissions.js' {
  interface PlainResources {
    '${plural}': true;
  }
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

export function service({ noun, class: name, classes, constant }) {
  return `import { Injectable } from '@nestjs/common';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { type ${name}, ${constant} } from './${noun}.js';

@Injectable()
export class ${classes}Service {
  readonly records: Records<${name}>;

  constructor(kit: ResourceKit) {
    this.records = Records.of(${constant}, kit, {});
  }
}
`;
}

export function migration({ stamp, classes, table, type, words }) {
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

export function spec({ path, plural, words, type }) {
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

export function room({ noun, plural, classes, constant }) {
  return `import type { Room } from '../../area.js';
import { ${constant} } from './${noun}.js';
import { ${classes}Service } from './${plural}.service.js';

export const ${constant}Room: Room = { type: ${constant}, service: ${classes}Service };
`;
}

/** The type in the manifest of its area. */
export function manifestEntry({ plural, constant, tag }) {
  const plain = plural.replaceAll('-', ' ');
  const about = `${plain[0].toUpperCase()}${plain.slice(1)}: list, create, edit, archive and delete them.`;
  return `{
      resource: '${plural}',
      tag: '${tag}',
      about: '${about}',
      room: async () => (await import('./${plural}/${plural}.room.js')).${constant}Room,
    },`;
}

/** The manifest of a new area, before its first type is added. */
export function manifest({ area }) {
  return `import { area } from '../area.js';

export const ${area} = area({
  name: '${area}',
});
`;
}
