import { SECOND_MS } from '#libs/kernel/durations.js';
import { startAgain } from '#src/start/again.js';

/** A process that ends on request; `lines` are the reported lines, `startsMs` the start times. */
function keepUp() {
  jest.useFakeTimers();
  const begunMs = Date.now();
  const lines: string[] = [];
  const startsMs: number[] = [];
  const stopping = new AbortController();
  let end: (how: string) => void = () => undefined;
  let up: () => void = () => undefined;
  const start = () => {
    startsMs.push(Date.now() - begunMs);
    const [serving, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    up = serving.resolve;
    end = ended.resolve;
    return { up: serving.promise, ended: ended.promise };
  };
  const options = { name: 'worker', start, tell: (line: string) => void lines.push(line), signal: stopping.signal };
  const kept = startAgain(options, 'SIGKILL');
  return {
    lines,
    startsMs,
    kept,
    stopping,
    pass: (ms: number) => jest.advanceTimersByTimeAsync(ms),
    end: async (how: string) => {
      end(how);
      await jest.advanceTimersByTimeAsync(0);
    },
    serve: async (ms: number) => {
      up();
      await jest.advanceTimersByTimeAsync(ms);
    },
  };
}

afterEach(() => void jest.useRealTimers());

describe('a supervised process', () => {
  it('is restarted whenever it ends, with pauses that grow to 30 s, and reported in one line', async () => {
    const { startsMs, lines, pass, end } = keepUp();
    for (let crash = 0; crash < 14; crash++) {
      await pass(30 * SECOND_MS);
      await end('SIGKILL');
    }
    await pass(30 * SECOND_MS);
    const pauses = startsMs.map((ms, i) => ms - 30 * SECOND_MS * i);
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, ...Array(6).fill(30 * SECOND_MS)]);
    expect(lines).toEqual(['The worker ended unexpectedly (SIGKILL); restarting it until it stays up']);
  });

  it('is reported once per reason', async () => {
    const { lines, pass, end } = keepUp();
    for (const how of ['exit 1', 'SIGKILL', 'exit 1']) {
      await pass(30 * SECOND_MS);
      await end(how);
    }
    expect(lines.map((line) => /\((.*)\)/.exec(line)![1])).toEqual(['SIGKILL', 'exit 1']);
  });

  it('counts as up after ten seconds, is reported once, and then has short pauses again', async () => {
    const { startsMs, lines, pass, end, serve } = keepUp();
    for (let crash = 0; crash < 3; crash++) {
      await pass(SECOND_MS);
      await end('SIGKILL');
    }
    await pass(SECOND_MS);
    await serve(9 * SECOND_MS);
    expect(lines).toHaveLength(1);
    await pass(SECOND_MS);
    expect(lines.slice(1)).toEqual(['The worker is up again after 4 s']);
    await end('exit 0');
    await pass(100);
    expect(startsMs).toHaveLength(5);
    expect(lines.slice(2)).toEqual(['The worker ended unexpectedly (exit 0); restarting it until it stays up']);
  });

  it('does not count as up after a short moment', async () => {
    const { lines, pass, end, serve } = keepUp();
    await pass(100);
    await serve(5 * SECOND_MS);
    await end('SIGKILL');
    await pass(20 * SECOND_MS);
    expect(lines).toHaveLength(1);
  });

  it('is not restarted once it should stop', async () => {
    const { startsMs, kept, stopping, pass } = keepUp();
    stopping.abort();
    await kept;
    await pass(60 * SECOND_MS);
    expect(startsMs).toEqual([]);
  });
});
