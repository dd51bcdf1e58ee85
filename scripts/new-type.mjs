// npm run new:type -- <area> <noun> <plural>, e.g. `sales territory territories`: generates a plain record type with
// its service, migration, permissions and tests, and registers it, in an area with records or in a new one. Review the
// generated code and extend it.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { declaration, manifest, manifestEntry, migration, room, service, spec } from './new-type-files.mjs';
import { fail, findNode, main, run } from './project.mjs';

const KEBAB = /^[a-z]+(-[a-z]+)*$/;
/** Folders of areas whose records have another area in their paths. */
const FOLDERS = { intelligence: 'ai' };
const BY_HAND = 'write the type by hand, see docs/guides/adding-a-resource.md.';

await main(async ([area = '', noun = '', plural = '', ...others]) => {
  if (![area, noun, plural].every((word) => KEBAB.test(word)) || others.length > 0)
    fail(
      'Usage: npm run new:type -- <area> <noun> <plural>, in lower case with hyphens, e.g. sales territory territories',
    );
  const type = namesOf(area, noun, plural);
  const files = planned(type);
  for (const [file, text] of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const names = [...files.keys()];
  const prettier = ['node_modules/prettier/bin/prettier.cjs', '--log-level=warn', '--write', ...names];
  const code = await run(findNode(), prettier);
  if (code !== 0) return code;
  process.stdout.write(`Written:\n${names.map((file) => `  ${file}\n`).join('')}
Next:
  1. Declare its fields and actions in ${type.folder}/${noun}.ts, with their columns and indexes in the migration:
     docs/guides/adding-a-resource.md shows how, step by step.
  2. Describe it to users in ${type.paths.manifest}.
  3. npm run schema -- --write && npm run openapi -- --write && npm run docs -- --write
  4. npm test -- ${type.paths.spec} test/contract test/tenancy/list-plans
  5. npm test -- test/matrix -t ${type.recordArea}.${stemOf(noun, plural)}
`);
  return 0;
});

function namesOf(recordArea, noun, plural) {
  const area = FOLDERS[recordArea] ?? recordArea;
  const pascal = (words) => words.replaceAll(/(^|-)([a-z])/g, (_, __, letter) => letter.toUpperCase());
  const camel = (words) => pascal(words).replace(/^[A-Z]/, (letter) => letter.toLowerCase());
  const stamps = readdirSync('src/database/migrations').map((file) => Number(file.slice(0, 13)) || 0);
  const stamp = Math.max(...stamps) + 1;
  const root = `src/areas/${area}`;
  const folder = `${root}/${plural}`;
  return {
    ...{ area, recordArea, noun, plural, folder, stamp, words: noun.replaceAll('-', ' ') },
    ...{ class: pascal(noun), classes: pascal(plural), constant: camel(plural) },
    ...{ table: `data.${recordArea}_${plural}`.replaceAll('-', '_'), path: `/api/v1/${recordArea}/${plural}` },
    ...{ type: `${recordArea}.${noun}`.replaceAll('-', '_') },
    ...{ prefix: prefixOf(noun), tag: `${recordArea} ${plural.replaceAll('-', ' ')}` },
    paths: { manifest: `${root}/${area}.manifest.ts`, spec: `test/e2e/${recordArea}/${plural}.spec.ts` },
  };
}

/** What a noun and its plural have in common, as in names of types and operations. */
function stemOf(noun, plural) {
  let length = 0;
  while (length < noun.length && noun[length] === plural[length]) length++;
  return noun.slice(0, length).replaceAll('-', '_');
}

/** The first letters of a noun that no references of another type begin with. */
function prefixOf(noun) {
  const taken = new Set(
    sources('src/areas').flatMap((text) => [...text.matchAll(/prefix: '([A-Z]+)'/g)].map(([, prefix]) => prefix)),
  );
  const letters = noun.replaceAll('-', '').toUpperCase();
  for (let length = Math.min(4, letters.length); length <= letters.length; length++)
    if (!taken.has(letters.slice(0, length))) return letters.slice(0, length);
  return fail(`References of another type begin with ${letters}-: choose another noun, or ${BY_HAND}`);
}

function sources(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.ts')).map((file) => readFileSync(`${folder}/${file}`, 'utf8'));
}

/**
 * All files of a type with their texts, new and changed; nothing is written yet.
 * @throws ScriptError saying why the type cannot be generated.
 */
function planned(type) {
  const files = new Map();
  const { area, recordArea, plural, noun, folder, paths } = type;
  const add = (file, text) => (existsSync(file) ? fail(`The file ${file} already exists.`) : files.set(file, text));
  if (existsSync(folder)) fail(`The folder ${folder} already exists.`);
  const taken = [readFileSync('libs/auth/permissions.ts', 'utf8'), ...sources('src/areas')];
  if (taken.some((text) => text.includes(`'${plural}:read'`)))
    fail(`The permissions ${plural}:* already exist: choose another plural, or ${BY_HAND}`);
  if (!existsSync(`src/areas/${area}`) && area.includes('-'))
    fail(`Names of events begin with the area: call the new area ${area} by one word.`);
  if (!existsSync(`src/areas/${area}`)) addArea(files, add, type);
  else if (!sources(`src/areas/${area}`).some((text) => hasPlainRecords(text, recordArea)))
    fail(`The records of src/areas/${area} are not below /api/v1/${recordArea}: ${BY_HAND}`);
  add(`${folder}/${noun}.ts`, declaration(type));
  add(`${folder}/${plural}.service.ts`, service(type));
  add(`${folder}/${plural}.room.ts`, room(type));
  add(`src/database/migrations/${type.stamp}-${plural}.ts`, migration(type));
  add(paths.spec, spec(type));
  register(edited(files), type);
  return files;
}

function hasPlainRecords(text, area) {
  return text.includes(' = recordType') && text.includes(`area: '${area}',`) && !/^ *base: '/m.test(text);
}

/** A function that changes a file of the plan. */
function edited(files) {
  return (file, change) => {
    if (!files.has(file) && !existsSync(file)) fail(`${file} does not exist: ${BY_HAND}`);
    const before = files.get(file) ?? readFileSync(file, 'utf8');
    const after = change(before);
    if (after === before) fail(`${file} has no place for the type: ${BY_HAND}`);
    files.set(file, after);
  };
}

/** Adds a new area to a plan and to the list of areas. */
function addArea(files, add, type) {
  const { area, paths } = type;
  add(paths.manifest, manifest(type));
  edited(files)('src/areas/areas.ts', (text) =>
    addImport(
      into(text, /AREAS: readonly Area\[\] = \[/, `${area},`),
      `import { ${area} } from './${area}/${area}.manifest.js';\n`,
    ),
  );
}

/** Adds a type to the manifest of its area. */
function register(edit, type) {
  edit(type.paths.manifest, (text) =>
    text.includes('  types: [')
      ? into(text, /\n {2}types: \[/, manifestEntry(type))
      : into(text, /\n {2}name: '[^']+',/, `types: [${manifestEntry(type)}],`),
  );
}

/** Adds imports after the last one. */
function addImport(text, ...lines) {
  return lines.filter(Boolean).reduce((whole, line) => {
    const at = whole.startsWith('import ') ? Math.max(0, whole.lastIndexOf('\nimport ')) : -1;
    const end = at === -1 ? 0 : whole.indexOf(';\n', at) + 2;
    return whole.slice(0, end) + line + (at === -1 ? '\n' : '') + whole.slice(end);
  }, text);
}

/** Inserts an entry at the beginning of a list. */
function into(text, list, entry) {
  return text.replace(list, (start) => `${start}\n  ${entry}`);
}
