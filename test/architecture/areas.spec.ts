import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve('src/areas');

/** Which areas each area imports from, and by which file. */
function imports(): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const file of globSync('*/**/*.ts', { cwd: ROOT })) {
    const [area] = file.split('/');
    const uses = found.get(area!) ?? found.set(area!, new Map()).get(area!)!;
    for (const [, from] of readFileSync(join(ROOT, file), 'utf8').matchAll(/from '([#.][^']+)'/g)) {
      const path = from!.startsWith('#') ? resolve(from!.slice(1)) : join(ROOT, dirname(file), from!);
      if (!path.startsWith(`${ROOT}/`)) continue;
      const other = path.slice(ROOT.length + 1).split('/')[0]!;
      if (other !== area && !uses.has(other)) uses.set(other, file);
    }
  }
  return found;
}

it('the areas form no ring', () => {
  const uses = imports();
  expect(uses.size).toBeGreaterThan(20);
  const rings: string[] = [];
  const finished = new Set<string>();
  const visit = (area: string, way: readonly string[]): void => {
    if (way.includes(area)) rings.push([...way.slice(way.indexOf(area)), area].join(' -> '));
    if (way.includes(area) || finished.has(area)) return;
    for (const other of uses.get(area)?.keys() ?? []) visit(other, [...way, area]);
    finished.add(area);
  };
  for (const area of uses.keys()) visit(area, []);
  expect(rings).toEqual([]);
});

const folders = (parent: string) =>
  readdirSync(parent, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

it.each([
  ['libs', (name: string) => `\`libs/${name}\``],
  ['src', (name: string) => (name === 'areas' ? '`src/areas/<area>`' : `\`src/${name}\``)],
  ['src/areas', (name: string) => `\`${name}\``],
  ['libs/resource', (name: string) => `\`${name}\``],
  ['libs/webhooks', (name: string) => `- \`${name}\`: `],
])('docs/ARCHITECTURE.md says what each folder of %s is for', (parent, wording) => {
  const [, text] = /^## Folders$(.*?)^## /ms.exec(readFileSync('docs/ARCHITECTURE.md', 'utf8'))!;
  expect(folders(parent).filter((name) => !text!.includes(wording(name)))).toEqual([]);
});
