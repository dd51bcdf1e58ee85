// npm run bench, npm run faults: a program of bench/ on the project's Node, with the sources built.
import { ensureBuilt, ensureInstalled, findNode, main, run } from './project.mjs';

await main(async (names) => {
  await ensureInstalled();
  await ensureBuilt();
  for (const name of names) {
    const status = await run(findNode(), [`bench/${name}.mjs`]);
    if (status !== 0) return status;
  }
  return 0;
});
