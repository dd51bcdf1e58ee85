import { OperatorError } from '#libs/config/operator-error.js';
import { decrypt, deriveKey, encrypt } from './cipher.js';

/** Bytes of a key id; long enough that two keys of an installation never share one. */
const ID_BYTES = 8;

/** What the master key encrypts: keys for one purpose. */
export type WrappingPurpose = 'wrap data keys' | 'seal signing keys' | 'wrap installation keys';

/** A key that is encrypted with a master key. */
export interface Wrapped {
  masterKeyId: string;
  sealed: Buffer;
}

/** The id of a master key: identifies the key without revealing it. */
export function masterKeyIdOf(key: Buffer): string {
  return deriveKey(key, 'key id', ID_BYTES).toString('hex');
}

/**
 * The master keys of a process. The current key wraps; during a rotation the previous one is accepted too, for values
 * that are still wrapped with it.
 */
export class MasterKeys {
  /** Id of the current key. */
  readonly id: string;
  private readonly byId: ReadonlyMap<string, Buffer>;

  /** Keys are 32 bytes. */
  constructor(
    private readonly current: Buffer,
    previous: Buffer | null = null,
  ) {
    this.id = masterKeyIdOf(current);
    const keys = previous ? [current, previous] : [current];
    this.byId = new Map(keys.map((key) => [masterKeyIdOf(key), key]));
  }

  /** Ids of all accepted keys, the current one first. */
  get ids(): string[] {
    return [...this.byId.keys()];
  }

  /** All accepted keys, the current one first. */
  get keys(): Buffer[] {
    return [...this.byId.values()];
  }

  /** A key for one purpose, derived from each accepted key, the current one first. For values that live minutes. */
  derived(purpose: string): [Buffer, ...Buffer[]] {
    return this.keys.map((key) => deriveKey(key, purpose)) as [Buffer, ...Buffer[]];
  }

  wrap(purpose: WrappingPurpose, key: Buffer, context: string): Wrapped {
    return { masterKeyId: this.id, sealed: encrypt(deriveKey(this.current, purpose), key, context) };
  }

  /**
   * The key of {@link wrap}.
   * @throws OperatorError if it was wrapped with a key that this process does not have.
   */
  unwrap(purpose: WrappingPurpose, { masterKeyId, sealed }: Wrapped, context: string): Buffer {
    const key = this.byId.get(masterKeyId);
    if (!key) throw missing(masterKeyId);
    return decrypt(deriveKey(key, purpose), sealed, context);
  }

  /** @throws OperatorError unless the process has all of these keys. */
  require(ids: readonly string[]): void {
    const unknown = ids.find((id) => !this.byId.has(id));
    if (unknown !== undefined) throw missing(unknown);
  }
}

function missing(id: string): OperatorError {
  return new OperatorError(
    `MASTER_KEY is not the key of this database (key id ${id}). Correct it; to rotate keys, also set MASTER_KEY_PREVIOUS to that key and run "platform master-key rotate".`,
  );
}
