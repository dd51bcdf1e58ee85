import { createHash, hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import { MasterKeys } from '#libs/sealing/master-keys.js';

const USE = `select directory.use_id_token($1, $2) as fresh`;
/** Zero bits at the start of a proof: a fraction of a second of work. */
const DIFFICULTY = 16;

/** A task for writers without a credential. */
export interface Challenge {
  challenge: string;
  difficulty: number;
  expiresAt: string;
}

/** What a challenge that came back says about its sender. */
export interface Answered {
  text: string;
  /** Time since it was given out. */
  ageMs: number;
  /** Whether the sender has worked for it. */
  isProven: boolean;
}

/**
 * Challenges for writes without a credential. The work is a `nonce` with which SHA-256 of `challenge.nonce` begins with as
 * many zero bits as the difficulty says. Challenges are good for a day and for one effect, and none is stored before.
 */
@Injectable()
export class Challenges {
  private readonly papers: Cursors;

  constructor(
    masterKeys: MasterKeys,
    private readonly clock: Clock,
  ) {
    this.papers = new Cursors(...masterKeys.derived('challenge'));
  }

  /** @param purpose names what the challenge is good for, such as an operation and a tenant */
  make(purpose: string): Challenge {
    const nowMs = this.clock.nowMs();
    const challenge = this.papers.write([nowMs, randomBytes(12).toString('base64url')], purpose);
    return { challenge, difficulty: DIFFICULTY, expiresAt: new Date(nowMs + DAY_MS).toISOString() };
  }

  /** @throws Problem 400 for a challenge that was not given out for this purpose, an expired one, and a wrong nonce. */
  read(text: string, nonce: string | null, purpose: string): Answered {
    const ageMs = this.clock.nowMs() - this.givenAt(text, purpose);
    if (ageMs > DAY_MS) throw refusal('/challenge', 'expired', 'The challenge has expired. Load the page again.');
    if (nonce !== null && zeroBits(createHash('sha256').update(`${text}.${nonce}`).digest()) < DIFFICULTY)
      throw refusal('/nonce', 'invalid_value', 'The nonce does not solve the challenge.');
    return { text, ageMs, isProven: nonce !== null };
  }

  /**
   * Spends a challenge in the transaction of its only effect.
   * @param use identifies that effect, so that a repetition of it is told apart from another one
   * @returns false if it was spent for the same use before
   * @throws Problem 400 if it was spent for another one.
   */
  async spend(transaction: Transaction, { text }: Answered, use: string): Promise<boolean> {
    const until = new Date(this.clock.nowMs() + DAY_MS).toISOString();
    const isFirst = async (what: string) => {
      const [row] = await transaction.query<{ fresh: boolean }>(
        statement(USE, [hash('sha256', what, 'buffer'), until]),
      );
      return row!.fresh;
    };
    const isFresh = await isFirst(`challenge ${text}`);
    const isNewUse = await isFirst(`challenge ${text} ${use}`);
    if (!isFresh && isNewUse)
      throw refusal('/challenge', 'used', 'The challenge was used before. Load the page again.');
    return isFresh;
  }

  private givenAt(text: string, purpose: string): number {
    try {
      return this.papers.read(text, purpose)[0] as number; // as written
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw refusal('/challenge', 'invalid_value', 'The challenge was not given out here.');
    }
  }
}

function refusal(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}

function zeroBits(bytes: Buffer): number {
  const at = bytes.findIndex((byte) => byte !== 0);
  return at < 0 ? bytes.length * 8 : at * 8 + Math.clz32(bytes[at]!) - 24;
}
