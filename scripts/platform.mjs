// npm run platform -- <command>: the operator CLI on the project's Node. Only the command writes to stdout.
import { ensureBuilt, ensureInstalled, findNode, main, run } from './project.mjs';

await main(async (args) => {
  await ensureInstalled();
  await ensureBuilt();
  return run(findNode(), ['dist/src/cli/main.js', ...args]);
});
