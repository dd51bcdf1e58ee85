import type { CommandRun } from '../command.js';
import { withDirectory } from '../directory-access.js';
import { tableOf } from '../table-text.js';

/** `signing-key list` */
export const listSigningKeys: CommandRun = async (_given, { settings }) => {
  const all = await withDirectory(settings(), ({ signingKeys }) => signingKeys.all());
  const keys = all.map(({ kid, notBefore, notAfter }) => ({ kid, notBefore, notAfter }));
  return {
    json: { data: keys },
    text: tableOf(
      ['KID', 'SIGNS SINCE', 'UNTIL'],
      keys.map(({ kid, notBefore, notAfter }) => [kid, notBefore, notAfter ?? 'active']),
    ),
  };
};

/** `signing-key rotate` */
export const rotateSigningKey: CommandRun = async (_given, { settings }) => {
  const { kid, notBefore } = await withDirectory(settings(), ({ signingKeys }) => signingKeys.rotate());
  return { json: { kid, notBefore }, text: `The key ${kid} signs since ${notBefore}.` };
};
