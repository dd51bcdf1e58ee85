import { jest } from '@jest/globals';
import { LeasingLead } from './leasing-lead.js';

const PLACES = 50;

describe('the lead of a worker', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** The lead of a process that has finished this many deliveries in this time. */
  const after = (done: number, ms: number, lead = new LeasingLead(() => PLACES)) => {
    jest.advanceTimersByTime(ms);
    lead.measure(done);
    return lead.size;
  };

  it('is what gets done in 400 milliseconds', () => {
    expect(after(6_000, 1_000)).toBe(2_400);
    expect(after(3_000, 500)).toBe(2_400);
  });

  it('is left as it is between two measurements, of which there are two in a second at most', () => {
    const lead = new LeasingLead(() => PLACES);
    expect(after(3_000, 500, lead)).toBe(2_400);
    expect(after(3_000, 499, lead)).toBe(2_400);
    expect(after(5_000, 1, lead)).toBe(1_600);
  });

  it('is never less than eight times what is sent at a time, nor more than 64 times', () => {
    expect(new LeasingLead(() => PLACES).size).toBe(400);
    expect(after(10, 1_000)).toBe(400);
    expect(after(50_000, 1_000)).toBe(3_200);
  });

  it('keeps these bounds for what is sent at a time at the moment, which grows', () => {
    let places = 13;
    const lead = new LeasingLead(() => places);
    expect(lead.size).toBe(104);
    expect(after(1_000, 1_000, lead)).toBe(400);
    expect(after(11_000, 1_000, lead)).toBe(832);
    places = 26;
    expect(after(21_000, 1_000, lead)).toBe(1_664);
    expect(after(21_000, 1_000, lead)).toBe(208);
  });

  it('follows what was done since it was measured last', () => {
    const lead = new LeasingLead(() => PLACES);
    expect(after(6_000, 1_000, lead)).toBe(2_400);
    expect(after(13_000, 1_000, lead)).toBe(2_800);
    expect(after(13_001, 10_000, lead)).toBe(400);
  });
});
