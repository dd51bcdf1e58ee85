import { OperatorError } from '#libs/config/operator-error.js';
import type { Settings } from '#libs/config/settings.js';
import { replaceMasterKey } from '#libs/sealing/master-key-files.js';
import type { MasterKeys } from '#libs/sealing/master-keys.js';
import { readHolder } from '#src/start/data-folder.js';
import type { CommandRun, Outcome } from '../command.js';
import { type DirectoryAccess, rotationTo, withDirectory } from '../directory-access.js';
import { tableOf } from '../table-text.js';

/** `master-key list` */
export const listMasterKeys: CommandRun = async (_given, { settings }) => {
  const { counts, id } = await withDirectory(settings(), async ({ masterKeys, database }) => ({
    counts: await rotationTo(masterKeys, database).counts(),
    id: masterKeys.id,
  }));
  return {
    json: { masterKeyId: id, data: counts },
    text: tableOf(
      ['TABLE', 'MASTER KEY', 'KEYS'],
      counts.map(({ table, masterKeyId, count }) => [
        table,
        masterKeyId === id ? masterKeyId : `${masterKeyId} (previous)`,
        String(count),
      ]),
    ),
  };
};

/** `master-key rotate`. Repeating it finishes a rotation, but never starts another one. */
export const rotateMasterKey: CommandRun = (given, context) => {
  const settings = context.settings();
  return withDirectory(settings, async (access) => {
    const { masterKeys, database } = access;
    const counts = await rotationTo(masterKeys, database).counts();
    const isDone = counts.every(({ masterKeyId }) => masterKeyId === masterKeys.id);
    if (!isDone || settings.MASTER_KEY) return finish(settings, masterKeys, access);
    if (masterKeys.ids.length > 1 && given['start'] !== true) throw alreadyFinished(masterKeys);
    const replaced = replaceMasterKey(settings);
    return isAlone(settings) ? finish(settings, replaced, access) : mustRestart(replaced);
  });
};

async function finish(settings: Settings, masterKeys: MasterKeys, { database }: DirectoryAccess): Promise<Outcome> {
  const rewrapped = await rotationTo(masterKeys, database).run();
  const total = Object.values(rewrapped).reduce((sum, count) => sum + count, 0);
  const previous = settings.MASTER_KEY ? 'MASTER_KEY_PREVIOUS' : `${settings.DATA_DIR}/master.key.previous`;
  return {
    json: { masterKeyId: masterKeys.id, state: 'finished', rewrapped },
    text: [
      `${total} keys were encrypted again; all keys are encrypted with the master key ${masterKeys.id}.`,
      `${previous} is no longer needed and may be removed. Keep the old key for as long as you keep backups made before now.`,
    ].join('\n'),
  };
}

function alreadyFinished({ id }: MasterKeys): OperatorError {
  return new OperatorError(
    `The previous rotation is finished: all keys are encrypted with the master key ${id}. To start another one, add --start.`,
  );
}

/** Running processes do not have the new key yet, so nothing may be encrypted with it. */
function mustRestart({ id }: MasterKeys): Outcome {
  return {
    json: { masterKeyId: id, state: 'restart_required', rewrapped: {} },
    text: `The new master key ${id} is in place. Restart the platform, then run this command again to finish the rotation.`,
  };
}

/** Whether the command runs the embedded database for itself, so that no other process uses it. */
function isAlone({ DATABASE_URL, DATABASE_SYSTEM_URL, DATA_DIR }: Settings): boolean {
  return DATABASE_URL === null && DATABASE_SYSTEM_URL === null && readHolder(DATA_DIR)?.pid === process.pid;
}
