import { jest } from '@jest/globals';
import { type Background, WorkerPart } from './worker-part.js';

/** Work that records start and stop in `log`; stopping completes when `end` is called. */
function work(name: string, log: string[]) {
  let end: (error?: Error) => void = () => undefined;
  const step = (what: string) => {
    log.push(`${name} ${what}`);
    return new Promise<void>((resolve, reject) => (end = (error) => (error ? reject(error) : resolve())));
  };
  const onBehalf = { of: 'platform', because: 'upkeep' } as const;
  const background: Background = { onBehalf, start: () => step('starts'), stop: () => step('stops') };
  return { background, end: (error?: Error) => end(error) };
}

describe('a part of the worker', () => {
  it('begins one thing after the other', async () => {
    const log: string[] = [];
    const [first, second] = [work('first', log), work('second', log)];
    const started = new WorkerPart(first.background, second.background).start();
    expect(log).toEqual(['first starts']);
    first.end();
    await new Promise(setImmediate);
    expect(log).toEqual(['first starts', 'second starts']);
    second.end();
    await started;
  });

  it('stops everything at once, and waits for all of it though something fails', async () => {
    const log: string[] = [];
    const [first, second] = [work('first', log), work('second', log)];
    const settled = jest.fn();
    const stopped = new WorkerPart(first.background, second.background).stop();
    void stopped.catch(settled);
    expect(log).toEqual(['first stops', 'second stops']);
    first.end(new Error('first failed'));
    await new Promise(setImmediate);
    expect(settled).not.toHaveBeenCalled();
    second.end();
    await expect(stopped).rejects.toThrow('first failed');
  });
});
