// npm run build: compiles the sources to dist on the project's Node.
import { build, ensureInstalled, main } from './project.mjs';

await main(async () => {
  await ensureInstalled();
  return build();
});
