import { RE2JS, RE2JSException } from 're2js';

/** A pattern that {@link LinearPattern} does not support; the message says why. */
export class PatternError extends Error {}

const MAX_LENGTH = 200;
/** Instructions of a compiled pattern. Each character of a text costs at most one step for each. */
const MAX_INSTRUCTIONS = 1_000;

/**
 * A customer's regular expression in the syntax of RE2, matched in linear time whatever the pattern: there is neither
 * look-around nor a back-reference. It must match the whole text.
 */
export class LinearPattern {
  private readonly compiled: RE2JS;

  /** @throws PatternError that describes the fault in the pattern. */
  constructor(source: string) {
    if (source.length > MAX_LENGTH) throw new PatternError(`A pattern may have at most ${MAX_LENGTH} characters.`);
    this.compiled = compile(source);
    if (this.compiled.programSize() > MAX_INSTRUCTIONS)
      throw new PatternError('The pattern is too large; repeat less of it.');
  }

  matches(text: string): boolean {
    return this.compiled.testExact(text);
  }
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternError(`The pattern is not one of RE2: ${error.message.replace('error parsing regexp: ', '')}.`);
  }
}
