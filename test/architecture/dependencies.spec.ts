import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  dependencies: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
const sources = ['libs', 'src', 'scripts'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.m?ts$|\.mjs$/.test(file) && !file.endsWith('.spec.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8')),
);

const dependencies = Object.keys(manifestOf('.').dependencies);
/** Peer dependencies, which a dependency imports but does not install. */
const peers = dependencies.flatMap((each) => {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(join('node_modules', each));
  return Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
});

test.each(dependencies)('%s is imported or a peer dependency', (name) => {
  const imported = new RegExp(`(from|import|import\\(|resolve\\()\\s*'${name}['/]`);
  expect(peers.includes(name) || sources.some((text) => imported.test(text))).toBe(true);
});
