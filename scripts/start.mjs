// npm start: installs and builds if needed, then runs the supervisor (src/start) on the project's Node.
import { ensureBuilt, ensureInstalled, findNode, main, run } from './project.mjs';

await main(async (args) => {
  await ensureInstalled();
  await ensureBuilt();
  // Through the IPC channel the supervisor detects that this process ended, even if it was killed.
  return run(findNode(), ['dist/src/start/main.js', ...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
});
