import { writeFileSync } from 'node:fs';
import { startPlatform } from '../harness/platform.js';
it('writes', async () => {
  const platform = await startPlatform();
  writeFileSync('/tmp/openapi.json', JSON.stringify(platform.document, null, 2) + '\n');
  await platform.close();
});
