// npm run bench, npm run faults: build the sources and run programs of bench/ on the project's Node. `npm run bench`
// takes program names, as in `npm run bench scim`; arguments after `--` are passed to the programs.
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
