import type { CommandRun, GivenOptions } from './command.js';
import { type DirectoryAccess, withDirectory } from './directory-access.js';
import { tableOf } from './table-text.js';
import { slugOf, textOf } from './values.js';

/** `events set-aside` */
export const listSetAside: CommandRun = async (given, { settings }) => {
  const slug = givenSlug(given);
  const all = await withDirectory(settings(), async (access) => access.setAside.list(await idOf(access, slug)));
  return {
    json: { data: all },
    text: tableOf(
      ['EVENT', 'TENANT', 'TYPE', 'SEQUENCE', 'FAILED', 'NEXT', 'SINCE', 'ERROR'],
      all.map(({ eventId, tenant, type, sequence, attempts, nextAttemptAt, setAsideAt, error }) => [
        eventId,
        tenant,
        type,
        sequence,
        String(attempts),
        nextAttemptAt ?? 'given up',
        setAsideAt,
        error,
      ]),
    ),
  };
};

/** `events retry` */
export const retrySetAside: CommandRun = async (given, { settings }) => {
  const slug = givenSlug(given);
  const retried = await withDirectory(settings(), async (access) => access.setAside.retry(await idOf(access, slug)));
  return { json: { retried }, text: `Events to be retried now: ${retried}` };
};

function givenSlug(given: GivenOptions): string | null {
  return textOf(given, 'tenant') === null ? null : slugOf(given, 'tenant');
}

async function idOf({ tenants }: DirectoryAccess, slug: string | null): Promise<string | null> {
  return slug === null ? null : (await tenants.get(slug)).id;
}
