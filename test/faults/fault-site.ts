import { Site } from '../../bench/faults/site.mjs';
import { createTestDatabase } from '../harness/database.js';

/** Runs the processes of the built project on a database of the test run. */
export async function openFaultSite(): Promise<{ site: Site; close(): Promise<void> }> {
  const database = await createTestDatabase();
  const site = new Site(database);
  const close = async () => {
    await site.close();
    await database.drop();
  };
  return { site, close };
}
