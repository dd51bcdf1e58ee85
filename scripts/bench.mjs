// npm run bench, npm run faults: a program of bench/ on the project's Node, with the sources built.
import { ensureBuilt, ensureInstalled, findNode, main, run } from './project.mjs';

await main(async ([name = 'main', ...args]) => {
  await ensureInstalled();
  await ensureBuilt();
  return run(findNode(), [`bench/${name}.mjs`, ...args]);
});
