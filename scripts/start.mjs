// npm start: installs and builds if needed, then runs the supervisor (src/start) on the project's Node.
import { ensureBuilt, ensureInstalled, findNode, main, run } from './project.mjs';

await main(async (args) => {
  await ensureInstalled();
  await ensureBuilt();
  // The IPC channel tells the supervisor when this process is gone, even if it was killed.
  return run(findNode(), ['dist/src/start/main.js', ...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
});
