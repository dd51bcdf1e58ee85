import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SEALED_COLUMNS } from '#src/areas/sealed-columns.js';

/** A data key is removed once no listed column uses it, so an unlisted column would lose its values. */
it('lists every column with sealed values once', () => {
  const sources = ['libs', 'src'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
      .map((path) => readFileSync(join(folder, path), 'utf8')),
  );
  const declared = sources.reduce((count, text) => count + text.split('new SealedColumn(').length - 1, 0);
  const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(new Set(listed).size).toBe(declared);
  expect(listed).toHaveLength(declared);
});
