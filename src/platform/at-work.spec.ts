import { jest } from '@jest/globals';
import { whenAtWork } from './at-work.js';

let usedMs: number;
let told: jest.Mock<() => void>;

beforeEach(() => {
  jest.useFakeTimers();
  jest.spyOn(process, 'cpuUsage').mockImplementation((before) => ({ user: before ? usedMs * 1_000 : 0, system: 0 }));
  usedMs = 0;
  told = jest.fn();
  whenAtWork(told);
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

it('tells once that the process has been at work for five seconds, when it has', () => {
  jest.advanceTimersByTime(10_000);
  usedMs = 999;
  jest.advanceTimersByTime(5_000);
  expect(told).not.toHaveBeenCalled();
  usedMs = 1_001;
  jest.advanceTimersByTime(10_000);
  expect(told).toHaveBeenCalledTimes(1);
});

it('looks for a minute', () => {
  jest.advanceTimersByTime(60_000);
  usedMs = 5_000;
  jest.advanceTimersByTime(60_000);
  expect(told).not.toHaveBeenCalled();
});
