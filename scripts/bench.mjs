// npm run bench, npm run faults: programs of bench/ on the project's Node, with the sources built. What stands after `--` is
// for the programs.
import { ensureBuilt, ensureInstalled, findNode, main, run } from './project.mjs';

await main(async (args) => {
  await ensureInstalled();
  await ensureBuilt();
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  for (const name of args.slice(0, end)) {
    const status = await run(findNode(), [`bench/${name}.mjs`, ...args.slice(end + 1)]);
    if (status !== 0) return status;
  }
  return 0;
});
