import { Injectable } from '@nestjs/common';

/** A JSON Schema (2020-12). */
export type JsonSchema = Record<string, unknown>;

/** The data of an event about its subject. */
export type EventData = Readonly<Record<string, unknown>>;

/** One published version of one event type. */
export interface EventType {
  /** `{area}.{entity}.{past_verb}`; see {@link EventCatalogue.add}. */
  type: string;
  version: number;
  description: string;
  /** Schema of the event's `data`. */
  data: JsonSchema;
  example: Record<string, unknown>;
  subjectType: string;
  /** Path at which the example's subject can be read. Built by the same code as the paths of real events. */
  exampleUrl: string;
  /** Id of the example's subject, if it is not the `id` of its data. */
  exampleSubjectId?: string;
  /**
   * Converts `data` of this version into `data` of the previous one without modifying its argument. Must not change
   * once published, because every attempt must send the same bytes.
   */
  downgrade?: (data: EventData) => EventData;
  /** When this version was deprecated in favour of another (RFC 3339). */
  deprecatedAt?: string;
  /** This version is sent at least until this time (RFC 3339), at least 12 months after `deprecatedAt`. */
  sunsetAt?: string;
}

/** At least three dot-separated segments of letters, digits and underscores. */
const TYPE = /^[a-z0-9_]+(\.[a-z0-9_]+){2,}$/;
const MAX_TYPE_LENGTH = 128;
/** Platform events that are sent only on request. */
const OWN_TYPES: readonly string[] = ['webhook.ping', 'webhook.verification'];

/** Whether new receivers should use a version. */
export const EVENT_TYPE_STATUSES = ['current', 'deprecated'] as const;

export function statusOf({ deprecatedAt }: EventType): (typeof EVENT_TYPE_STATUSES)[number] {
  return deprecatedAt === undefined ? 'current' : 'deprecated';
}

/**
 * Every event type that the platform can emit. Filled at startup by the modules that emit events. Used by the
 * event-schema route, the `webhooks` section of the OpenAPI document, the validation of subscriptions, and the
 * conversion for endpoints on an earlier version.
 */
@Injectable()
export class EventCatalogue {
  /** Versions of each type, without gaps, oldest first. */
  private readonly versions = new Map<string, EventType[]>();

  /**
   * Declares a version of a type, after the previous one.
   * @throws Error if the type is malformed or longer than 128 characters; if the version exists already or skips one;
   * if it cannot be converted to the previous version, or the previous version is not deprecated; if the dates of a
   * deprecation are less than 12 months apart.
   */
  add(event: EventType): void {
    checkType(event);
    const known = this.versions.get(event.type) ?? [];
    const before = known.at(-1);
    if (before) checkSuccession(before, event);
    checkDates(event);
    this.versions.set(event.type, [...known, event]);
  }

  /** All versions of all types, by name. */
  all(): EventType[] {
    return [...this.versions.keys()].sort().flatMap((type) => this.versions.get(type)!);
  }

  has(type: string): boolean {
    return this.versions.has(type);
  }

  find(type: string, version: number): EventType | undefined {
    return this.versions.get(type)?.find((known) => known.version === version);
  }

  /** Newest version of a type. @throws Error for an unknown type, so that no undeclared event is emitted. */
  newest(type: string): EventType {
    const newest = this.versions.get(type)?.at(-1);
    if (!newest) throw new Error(`The event type ${type} is not declared.`);
    return newest;
  }

  /** Whether a subscription pattern (`sales.deal.won`, `sales.deal.*`, `sales.*`, `*`) can match any event. */
  matchesAny(pattern: string): boolean {
    return [...this.versions.keys()].some((type) => matches(pattern, type));
  }

  /**
   * The versions that a new endpoint is pinned to: the newest version of each type that its patterns match. Types with
   * only version 1 are omitted, because an endpoint without a version for a type gets 1.
   */
  pinnable(patterns: readonly string[]): Record<string, number> {
    const newest = [...this.versions.keys()].sort().map((type) => this.newest(type));
    const covered = newest.filter(({ type }) => patterns.some((pattern) => matches(pattern, type)));
    return Object.fromEntries(covered.filter(({ version }) => version > 1).map(({ type, version }) => [type, version]));
  }

  /**
   * The version of a stored event that a receiver gets: the wanted one, or the oldest that is still declared. An event
   * is never converted to a version later than the stored one. A version unknown to this process (stored by a later
   * release) is sent unchanged.
   */
  versionFor(type: string, storedVersion: number, wantedVersion: number): number {
    if (wantedVersion >= storedVersion || !this.find(type, storedVersion)) return storedVersion;
    return Math.max(wantedVersion, this.versions.get(type)![0]!.version);
  }

  /** The `data` of an event in the version from {@link versionFor}. */
  render(type: string, storedVersion: number, wantedVersion: number, data: EventData): EventData {
    const target = this.versionFor(type, storedVersion, wantedVersion);
    let rendered = data;
    for (let version = storedVersion; version > target; version--)
      rendered = this.find(type, version)!.downgrade!(rendered);
    return rendered;
  }
}

/** Whether a subscription pattern matches an event type. `*` matches the rest of the name after a dot. */
export function matches(pattern: string, type: string): boolean {
  if (pattern === '*' || pattern === type) return true;
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1));
}

function checkType({ type }: EventType): void {
  const isSound = type.length <= MAX_TYPE_LENGTH && (TYPE.test(type) || OWN_TYPES.includes(type));
  if (!isSound) throw new Error(`${type} is no name for an event type.`);
}

function checkSuccession(before: EventType, { type, version, downgrade }: EventType): void {
  if (version === before.version) throw new Error(`The event type ${type}.v${version} is declared twice.`);
  if (version !== before.version + 1)
    throw new Error(`Version ${version} of the event type ${type} is declared after ${before.version}.`);
  if (!downgrade) throw new Error(`Version ${version} of the event type ${type} has no downgrade.`);
  if (!before.deprecatedAt) throw new Error(`Version ${before.version} of the event type ${type} is not deprecated.`);
}

function checkDates({ type, version, deprecatedAt, sunsetAt }: EventType): void {
  if (deprecatedAt === undefined && sunsetAt === undefined) return;
  const earliest = new Date(deprecatedAt ?? NaN);
  earliest.setUTCFullYear(earliest.getUTCFullYear() + 1);
  const isSound =
    sunsetAt === undefined ? !Number.isNaN(earliest.getTime()) : Date.parse(sunsetAt) >= earliest.getTime();
  if (!isSound) throw new Error(`The dates of version ${version} of the event type ${type} are not sound.`);
}
