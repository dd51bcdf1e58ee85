import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '#libs/config/operator-error.js';

/** Path of the committed OpenAPI document in the project. */
export const OPENAPI_PATH = 'openapi/openapi.json';

/** Absolute path of the folder with package.json, from the sources as well as from `dist`. */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    if (dirname(folder) === folder) throw new OperatorError('The project folder with its package.json was not found');
    folder = dirname(folder);
  }
  return folder;
}

/** Contents of generated files by path in the project. */
export type GeneratedFiles = Readonly<Record<string, string>>;

/** Writes generated files. @returns the paths of those that were not up to date. */
export function writeFiles(root: string, files: GeneratedFiles): string[] {
  const outdated = outdatedFiles(root, files);
  for (const path of outdated) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), files[path]!);
  }
  return outdated;
}

/** @throws OperatorError naming the outdated files and the command that generates them. */
export function checkFiles(root: string, files: GeneratedFiles, command: string): void {
  const outdated = outdatedFiles(root, files);
  if (outdated.length > 0)
    throw new OperatorError(`Not up to date: ${outdated.join(', ')}; run "npm run platform -- ${command}"`);
}

function outdatedFiles(root: string, files: GeneratedFiles): string[] {
  return Object.keys(files).filter((path) => {
    const file = join(root, path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== files[path];
  });
}
