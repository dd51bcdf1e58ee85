import { setFlagsFromString } from 'node:v8';

const COMPILERS = ['maglev', 'turbofan'];

/**
 * Has V8 optimise nothing until {@link optimize} is called: until then it makes do with bytecode and plain machine code. Its
 * optimising compilers, in threads beside the process, take a fifth of the CPU time of a start and of the second after it,
 * and on few cores the start itself and PostgreSQL wait for that. `Source:` ADR 28.
 */
export function postponeOptimization(): void {
  for (const compiler of COMPILERS) setFlagsFromString(`--no-${compiler}`);
}

/** Has V8 optimise what is called often from now on. */
export function optimize(): void {
  for (const compiler of COMPILERS) setFlagsFromString(`--${compiler}`);
}

/** Does something as V8's flags were before it was to optimise: what was compiled with others is of no use to a process that starts. */
export function asAtStart(work: () => void): void {
  postponeOptimization();
  try {
    work();
  } finally {
    optimize();
  }
}
