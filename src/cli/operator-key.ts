import { OperatorKeys } from '#libs/auth/operator-keys.js';
import type { Settings } from '#libs/config/settings.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import type { CommandRun } from './command.js';
import { withDirectory } from './directory-access.js';
import { tableOf } from './table-text.js';
import { futureInstantOf, idOf, nameOf } from './values.js';

const USUAL_DAYS = 365;

const withKeys = <T>(settings: Settings, work: (keys: OperatorKeys) => Promise<T>): Promise<T> =>
  withDirectory(settings, ({ database, clock }) => work(new OperatorKeys(database, clock)));

/** `operator-key create` */
export const createOperatorKey: CommandRun = async (given, { settings }) => {
  const name = nameOf(given, 'name');
  const nowMs = Date.now();
  const usual = new Date(nowMs + USUAL_DAYS * DAY_MS).toISOString();
  const expiresAt = futureInstantOf(given, 'expires-at', nowMs) ?? usual;
  const { id, text } = await withKeys(settings(), (keys) => keys.create(name, expiresAt));
  return {
    json: { id, operatorKey: text, expiresAt },
    text: [
      `Created the operator key "${name}" (${id}). It can create and suspend tenants: keep it like a password.`,
      `It expires at ${expiresAt} and is shown only once: ${text}`,
    ].join('\n'),
  };
};

/** `operator-key list` */
export const listOperatorKeys: CommandRun = async (_given, { settings }) => {
  const all = await withKeys(settings(), (keys) => keys.list());
  return {
    json: { data: all },
    text: tableOf(
      ['ID', 'CREATED', 'EXPIRES', 'REVOKED', 'NAME'],
      all.map(({ id, name, createdAt, expiresAt, revokedAt }) => [id, createdAt, expiresAt, revokedAt ?? 'no', name]),
    ),
  };
};

/** `operator-key revoke` */
export const revokeOperatorKey: CommandRun = async (given, { settings }) => {
  const id = idOf(given, 'id');
  const revokedAt = await withKeys(settings(), (keys) => keys.revoke(id));
  return { json: { id, revokedAt }, text: `The operator key ${id} was revoked at ${revokedAt}.` };
};
