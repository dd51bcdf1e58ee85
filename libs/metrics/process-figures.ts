import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';

const SAMPLE_MS = 60_000;
/** The event loop monitor fires a timer at this interval, and its values include the interval. */
const RESOLUTION_MS = 10;

/** Delays of the event loop. */
export interface LoopDelays {
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** What a process measures about itself. */
export interface ProcessReading {
  uptimeSeconds: number;
  rssBytes: number;
  heapUsedBytes: number;
  /** Of one core, over {@link sampledSeconds}. */
  cpuPercent: number;
  /** Null before the first values, some milliseconds after the start. */
  eventLoopDelays: LoopDelays | null;
  /** Length of the period that the two figures above describe. */
  sampledSeconds: number;
}

type Sample = Pick<ProcessReading, 'cpuPercent' | 'eventLoopDelays' | 'sampledSeconds'>;

/** CPU time and event loop delays of this process by the minute, and its memory now. */
@Injectable()
export class ProcessFigures implements OnModuleInit, OnApplicationShutdown {
  private readonly delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private sinceMs = performance.now();
  private cpu = process.cpuUsage();
  private lastMinute: Sample | null = null;
  private timer: NodeJS.Timeout | undefined;

  onModuleInit(): void {
    this.delays.enable();
    this.timer = setInterval(() => this.turn(), SAMPLE_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.delays.disable();
  }

  /** CPU and delays are those of the last full minute; in the first minute, those since the start. */
  read(): ProcessReading {
    const { rss, heapUsed } = process.memoryUsage();
    return {
      uptimeSeconds: Math.round(process.uptime()),
      rssBytes: rss,
      heapUsedBytes: heapUsed,
      ...(this.lastMinute ?? this.sample()),
    };
  }

  private turn(): void {
    this.lastMinute = this.sample();
    this.sinceMs = performance.now();
    this.cpu = process.cpuUsage();
    this.delays.reset();
  }

  private sample(): Sample {
    const elapsedMs = Math.max(1, performance.now() - this.sinceMs);
    const { user, system } = process.cpuUsage(this.cpu);
    const ms = (nanoseconds: number) => Math.max(0, Math.round(nanoseconds / 1_000 - RESOLUTION_MS * 1_000) / 1_000);
    const { delays } = this;
    return {
      cpuPercent: Math.round((user + system) / elapsedMs) / 10,
      eventLoopDelays:
        delays.count === 0
          ? null
          : { p50Ms: ms(delays.percentile(50)), p99Ms: ms(delays.percentile(99)), maxMs: ms(delays.max) },
      sampledSeconds: Math.max(1, Math.round(elapsedMs / 1_000)),
    };
  }
}
