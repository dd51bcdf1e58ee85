import { spawnSync } from 'node:child_process';
import type { SpawnOptions } from 'node:child_process';
import { chmodSync, lchownSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '#libs/config/operator-error.js';
import type { Binaries } from './binaries.js';

/** A program call under PostgreSQL's account. */
export interface Call {
  file: string;
  args: string[];
  options: Pick<SpawnOptions, 'uid' | 'gid'>;
}

/** Starts PostgreSQL's programs on this machine. */
export interface Launcher {
  /** Turns a program and its arguments into the call that runs it. */
  call(file: string, args: string[]): Call;
  /** Creates a folder (or takes an existing one) owned by PostgreSQL's account, mode 0700. */
  own(folder: string): void;
}

interface Account {
  name: string;
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root, so root starts it as another account: the owner of the cluster's folder if that is
 * not root, otherwise `postgres` or `nobody`. Other users run it under their own account.
 *
 * That account may be unable to reach the programs or the data (a project under /root). It then gets the capability to
 * traverse and read folders (CAP_DAC_READ_SEARCH, and only where that is missing CAP_DAC_OVERRIDE) through `setpriv` of
 * util-linux. The securebit keeps that capability effective for access(2), which PostgreSQL uses to check its programs.
 * @param folder holds the cluster's folder `cluster`; must exist.
 * @throws OperatorError when root has no account that can run PostgreSQL here.
 */
export function findLauncher(folder: string, binaries: Binaries): Launcher {
  if (process.getuid?.() !== 0) {
    return {
      call: (file, args) => ({ file, args, options: {} }),
      own: (path) => void mkdirSync(path, { recursive: true, mode: 0o700 }),
    };
  }
  const account = findAccount(join(folder, 'cluster'));
  // Only we use the folder and its files are 0600, so others may traverse it.
  chmodSync(folder, 0o711);
  const own = (path: string) => give(path, account);
  const ways = [plain(account), withCapability(account, 'dac_read_search'), withCapability(account, 'dac_override')];
  const reasons: string[] = [];
  for (const call of ways) {
    const reason = probe(call, folder, binaries);
    if (reason === null) return { call, own };
    reasons.push(reason);
  }
  throw new OperatorError(
    `PostgreSQL does not run as root, and the account ${account.name} cannot reach ${folder} or ${binaries.postgres} (${reasons[0]}): ` +
      'start as an ordinary user, move the project to a folder that others may enter, install setpriv (util-linux), or set DATABASE_URL',
  );
}

type Way = Launcher['call'];

const plain =
  ({ uid, gid }: Account): Way =>
  (file, args) => ({ file, args, options: { uid, gid } });

const withCapability =
  ({ uid, gid }: Account, capability: string): Way =>
  (file, args) => ({
    file: 'setpriv',
    args: [
      `--reuid=${uid}`,
      `--regid=${gid}`,
      '--clear-groups',
      `--inh-caps=-all,+${capability}`,
      `--ambient-caps=-all,+${capability}`,
      '--securebits=+no_setuid_fixup',
      '--',
      file,
      ...args,
    ],
    options: {},
  });

/** Why PostgreSQL's programs or the folder cannot be used this way; null if they can. `initdb --show` is read-only. */
function probe(way: Way, folder: string, { initdb }: Binaries): string | null {
  const script = 'cd "$1" && exec "$2" --show --pgdata="$1"';
  const { file, args, options } = way('/bin/sh', ['-c', script, 'sh', folder, initdb]);
  const result = spawnSync(file, args, { ...options, cwd: '/', encoding: 'utf8', timeout: 30_000 });
  if (result.error) return result.error.message;
  if (result.status === 0) return null;
  return result.stderr.trim().split('\n')[0] || `exit ${result.status ?? result.signal}`;
}

function findAccount(cluster: string): Account {
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { name: `with id ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  for (const name of ['postgres', 'nobody']) {
    const account = accounts.find((known) => known.name === name);
    if (account && account.uid > 0 && account.gid > 0) return account;
  }
  throw new OperatorError(
    'PostgreSQL does not run as root, and there is neither an account postgres nor nobody: start as an ordinary user, or set DATABASE_URL',
  );
}

/**
 * Gives a folder, created if missing, to the account; including its content if it belongs to root (for instance after
 * copying).
 */
function give(path: string, { uid, gid, name }: Account): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const { uid: ownerUid } = statSync(path);
  if (ownerUid === uid) return;
  try {
    const inside = ownerUid === 0 ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [];
    for (const entry of inside) lchownSync(join(path, entry), uid, gid);
    lchownSync(path, uid, gid);
  } catch (error) {
    throw new OperatorError(`The database folder ${path} cannot be given to ${name}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
