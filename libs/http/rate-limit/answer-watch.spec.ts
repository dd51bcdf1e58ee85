import { until } from '#libs/testing/until.js';
import { AnswerWatch, SilentServer } from './answer-watch.js';

const never = (): Promise<string> => new Promise(() => undefined);

/** Watches a response that never arrives; reports when the watch gives up. */
function unanswered(watch: AnswerWatch): { givenUp: boolean } {
  const state = { givenUp: false };
  watch.watch(never()).catch((error: unknown) => (state.givenUp = error instanceof SilentServer));
  return state;
}

describe('AnswerWatch', () => {
  it('passes answers and errors on', async () => {
    const watch = new AnswerWatch(20, 1_000);
    expect(await watch.watch(Promise.resolve('answer'))).toBe('answer');
    await expect(watch.watch(Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });

  it('gives up all answers of a silent server', async () => {
    const watch = new AnswerWatch(40, 60_000);
    const [first, second] = [unanswered(watch), unanswered(watch)];
    await until(() => first.givenUp && second.givenUp);
  });

  it('waits for a server that answers others', async () => {
    const watch = new AnswerWatch(60, 60_000);
    const waiting = unanswered(watch);
    const startedMs = performance.now();
    await until(async () => {
      await watch.watch(Promise.resolve('answer'));
      return performance.now() - startedMs > 300;
    });
    expect(waiting.givenUp).toBe(false);
    await until(() => waiting.givenUp);
  });

  it('waits for no single answer longer than the longest wait', async () => {
    const watch = new AnswerWatch(60_000, 100);
    const waiting = unanswered(watch);
    await until(async () => {
      await watch.watch(Promise.resolve('answer'));
      return waiting.givenUp;
    });
  });

  it('does not take a pause of its own process for silence', async () => {
    const watch = new AnswerWatch(20, 60_000);
    let answer: (text: string) => void = () => undefined;
    const watched = watch.watch(new Promise<string>((resolve) => (answer = resolve)));
    setImmediate(() => {
      const untilMs = performance.now() + 150;
      while (performance.now() < untilMs); // a long task
      setImmediate(() => answer('late, but only because of us'));
    });
    expect(await watched).toBe('late, but only because of us');
  });
});
