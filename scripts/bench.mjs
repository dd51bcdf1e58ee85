// npm run bench, npm run faults: programs of bench/ on the project's Node, with the sources built. `npm run bench` takes
// their names, as in `npm run bench scim`; what stands after `--` is for the programs.
import { ensureBuilt, ensureInstalled, findNode, main, run } from './project.mjs';

const USUAL = ['main', 'memory', 'start', 'lists', 'deliveries', 'ai'];

await main(async (args) => {
  await ensureInstalled();
  await ensureBuilt();
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  for (const name of end === 0 ? USUAL : args.slice(0, end)) {
    const status = await run(findNode(), [`bench/${name}.mjs`, ...args.slice(end + 1)]);
    if (status !== 0) return status;
  }
  return 0;
});
