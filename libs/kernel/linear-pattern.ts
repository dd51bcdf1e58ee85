/** A pattern that {@link LinearPattern} does not support; the message says why. */
export class PatternError extends Error {}

type Test = (character: string) => boolean;
type Node = { test: Test } | { sequence: Node[] } | { choice: Node[] } | { repeated: Node; min: number; max: number };
type State = { test: Test; to: number } | { split: number[] } | { end: true };

const MAX_LENGTH = 200;
const MAX_STATES = 1_000;
const MAX_REPEATS = 500;
const MAX_DEPTH = 20;

const CLASSES: Record<string, Test> = {
  d: (c) => c >= '0' && c <= '9',
  w: (c) => /^[A-Za-z0-9_]$/.test(c),
  s: (c) => /^\s$/.test(c),
};
const CONTROLS: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

/**
 * A customer's regular expression, matched in linear time whatever the pattern: all alternatives are followed at once,
 * without backtracking. Supports literals, `.`, classes, groups, `|` and quantifiers, but neither look-around nor
 * back-references. It must match the whole text; `^` at the beginning and `$` at the end have no effect.
 */
export class LinearPattern {
  private readonly states: State[] = [{ end: true }];
  private readonly start: number;

  /** @throws PatternError that describes the fault in the pattern. */
  constructor(source: string) {
    if (source.length > MAX_LENGTH) throw new PatternError(`A pattern may have at most ${MAX_LENGTH} characters.`);
    this.start = this.compile(new Parser(source.replace(/^\^/, '').replace(/(?<!\\)((?:\\\\)*)\$$/, '$1')).parse(), 0);
  }

  matches(text: string): boolean {
    let current = this.follow([this.start]);
    for (const character of text) {
      const next: number[] = [];
      for (const index of current) {
        const state = this.states[index]!;
        if ('test' in state && state.test(character)) next.push(state.to);
      }
      if (next.length === 0) return false;
      current = this.follow(next);
    }
    return current.has(0);
  }

  /** All states that can be reached without consuming a character. */
  private follow(from: number[]): Set<number> {
    const reached = new Set<number>();
    const open = [...from];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (reached.has(index)) continue;
      reached.add(index);
      const state = this.states[index]!;
      if ('split' in state) open.push(...state.split);
    }
    return reached;
  }

  /** Adds the states of a node that continues with the state `next`; returns its first state. */
  private compile(node: Node, next: number): number {
    if ('test' in node) return this.add({ test: node.test, to: next });
    if ('sequence' in node) return node.sequence.reduceRight((after, each) => this.compile(each, after), next);
    if ('choice' in node) return this.add({ split: node.choice.map((each) => this.compile(each, next)) });
    let begin = next;
    if (node.max === Infinity) {
      const loop = { split: [next] };
      begin = this.add(loop);
      loop.split.push(this.compile(node.repeated, begin));
    } else
      for (let optional = node.max - node.min; optional > 0; optional--)
        begin = this.add({ split: [next, this.compile(node.repeated, begin)] });
    for (let required = node.min; required > 0; required--) begin = this.compile(node.repeated, begin);
    return begin;
  }

  private add(state: State): number {
    if (this.states.length >= MAX_STATES) throw new PatternError('The pattern is too large; repeat less of it.');
    return this.states.push(state) - 1;
  }
}

/** Parses a pattern. */
class Parser {
  private readonly characters: string[];
  private at = 0;
  private depth = 0;

  constructor(source: string) {
    this.characters = [...source];
  }

  parse(): Node {
    const node = this.choice();
    if (this.at < this.characters.length) throw new PatternError('There is a ) without its (.');
    return node;
  }

  private choice(): Node {
    const choice = [this.sequence()];
    while (this.take('|')) choice.push(this.sequence());
    return choice.length === 1 ? choice[0]! : { choice };
  }

  private sequence(): Node {
    const sequence: Node[] = [];
    while (this.at < this.characters.length && this.next !== '|' && this.next !== ')')
      sequence.push(this.quantified(this.atom()));
    return { sequence };
  }

  private quantified(node: Node): Node {
    const bounds = this.bounds();
    if (!bounds) return node;
    if (this.take('?') || this.bounds()) throw new PatternError('A quantifier cannot follow a quantifier.');
    return { repeated: node, ...bounds };
  }

  private bounds(): { min: number; max: number } | null {
    if (this.take('*')) return { min: 0, max: Infinity };
    if (this.take('+')) return { min: 1, max: Infinity };
    if (this.take('?')) return { min: 0, max: 1 };
    if (this.next !== '{') return null;
    const [all = '', least = '', , most] =
      /^\{(\d{1,3})(,(\d{1,3})?)?\}/.exec(this.characters.slice(this.at, this.at + 10).join('')) ?? [];
    if (all === '')
      throw new PatternError('A { must begin a quantifier such as {2} or {2,5}; write \\{ for the character.');
    this.at += all.length;
    const min = Number(least);
    const max = most !== undefined ? Number(most) : all.includes(',') ? Infinity : min;
    if (max < min || min > MAX_REPEATS || (max !== Infinity && max > MAX_REPEATS))
      throw new PatternError(`A quantifier goes from fewer to more, up to ${MAX_REPEATS}.`);
    return { min, max };
  }

  private atom(): Node {
    const character = this.characters[this.at++]!;
    if (character === '(') return this.group();
    if (character === '[') return { test: this.set() };
    if (character === '.') return { test: (c) => c !== '\n' && c !== '\r' };
    if (character === '\\') return { test: this.escape() };
    if ('*+?{}^$]'.includes(character))
      throw new PatternError(`The character ${character} stands for itself only after a \\.`);
    return { test: (c) => c === character };
  }

  private group(): Node {
    if (++this.depth > MAX_DEPTH) throw new PatternError('The groups are nested too deep.');
    if (this.take('?') && !this.take(':')) throw new PatternError('Of the groups with (? only (?: is known.');
    const node = this.choice();
    if (!this.take(')')) throw new PatternError('There is a ( without its ).');
    this.depth--;
    return node;
  }

  private escape(): Test {
    const character = this.characters[this.at++];
    if (character === undefined) throw new PatternError('A \\ stands at the end.');
    const known = CLASSES[character.toLowerCase()];
    if (known) return character === character.toLowerCase() ? known : (c) => !known(c);
    const literal = CONTROLS[character] ?? character;
    if (literal === character && /[A-Za-z0-9]/.test(character))
      throw new PatternError(`The escape \\${character} is not known.`);
    return (c) => c === literal;
  }

  private set(): Test {
    const negated = this.take('^');
    const tests: Test[] = [];
    while (this.next !== ']') {
      const first = this.member();
      if (first.single === null || this.next !== '-' || this.characters[this.at + 1] === ']') {
        tests.push(first.test);
        continue;
      }
      this.at++;
      const { single: low } = first;
      const { single: high } = this.member();
      if (high === null || codeOf(high) < codeOf(low))
        throw new PatternError('A range in [ ] goes from lower to higher.');
      tests.push((c) => codeOf(c) >= codeOf(low) && codeOf(c) <= codeOf(high));
    }
    this.at++;
    if (tests.length === 0) throw new PatternError('There is nothing in [ ].');
    return (c) => tests.some((test) => test(c)) !== negated;
  }

  private member(): { test: Test; single: string | null } {
    const character = this.characters[this.at++];
    if (character === undefined) throw new PatternError('There is a [ without its ].');
    if (character !== '\\') return { test: (c) => c === character, single: character };
    const escaped = this.next;
    const test = this.escape();
    const single = escaped !== undefined && !(escaped.toLowerCase() in CLASSES) ? (CONTROLS[escaped] ?? escaped) : null;
    return { test, single };
  }

  private get next(): string | undefined {
    return this.characters[this.at];
  }

  private take(character: string): boolean {
    if (this.next !== character) return false;
    this.at++;
    return true;
  }
}

function codeOf(character: string): number {
  return character.codePointAt(0)!;
}
