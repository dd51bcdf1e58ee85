import { Injectable } from '@nestjs/common';
import { currentPrincipal, holds } from '#libs/auth/current-principal.js';
import { addDays, startOfDayMs } from '#libs/kernel/civil-time.js';
import { isReadable } from '#libs/resource/access/readable.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { pathOf } from '#libs/resource/types/definition.js';
import type { RecordLink } from '../record-link.js';
import {
  type HomeAbsence,
  type HomeDeal,
  type HomeInterview,
  type HomeTask,
  type HomeTasks,
  type HomeTimeOff,
  type HomeTimer,
  MOST_RECORDS,
} from './home-records.dto.js';
import type { Moment } from './moment.js';

/** A validated query of a list. */
type Query = Record<string, unknown>;

const OPEN_CATEGORIES = ['backlog', 'unstarted', 'started'];
const CLOSING_DAYS = 14;
const WEEK = 7;

/** Blocks with records of the caller, as their lists show them. */
@Injectable()
export class RecordBlocks {
  constructor(private readonly registry: ResourceRegistry) {}

  /** Whether the caller is a person who may read records of a type. */
  isOpen(type: string): boolean {
    return currentPrincipal().membershipId !== null && isReadable(this.resource(type).definition);
  }

  async tasks({ today }: Moment): Promise<HomeTasks> {
    const mine = (due: Query) =>
      this.list<HomeTask>('work.task', {
        assigneeId: 'me',
        'category[in]': OPEN_CATEGORIES,
        sort: ['dueDate'],
        ...due,
      });
    return {
      overdue: await mine({ 'dueDate[lt]': today }),
      today: await mine({ dueDate: today }),
      next7d: await mine({ 'dueDate[gt]': today, 'dueDate[lte]': addDays(today, WEEK) }),
    };
  }

  async timer(): Promise<HomeTimer | null> {
    const query = { membershipId: 'me', isRunning: true, limit: 1 };
    const [running = null] = await this.list<HomeTimer>('work.time_entry', query);
    return running;
  }

  deals({ today }: Moment): Promise<HomeDeal[]> {
    return this.list('sales.deal', {
      ownerId: 'me',
      status: 'open',
      'expectedCloseDate[gte]': today,
      'expectedCloseDate[lte]': addDays(today, CLOSING_DAYS),
      sort: ['expectedCloseDate'],
    });
  }

  interviews({ today, timezone }: Moment): Promise<HomeInterview[]> {
    return this.list('talent.interview', {
      interviewerId: 'me',
      status: 'scheduled',
      'startAt[gte]': startOf(today, timezone),
      'startAt[lt]': startOf(addDays(today, 1), timezone),
      sort: ['startAt'],
    });
  }

  async timeOff({ today }: Moment): Promise<HomeTimeOff> {
    const absences = (query: Query) => this.list<HomeAbsence>('people.time_off', { sort: ['startDate'], ...query });
    const deciding = holds('time-off:approve') ? { 'membershipId[ne]': 'me' } : { managerMembershipId: 'me' };
    return {
      own: await absences({ membershipId: 'me', 'status[in]': ['requested', 'approved'], 'endDate[gte]': today }),
      toDecide: await absences({ status: 'requested', ...deciding }),
    };
  }

  /** The response model selects the fields that the home page shows. */
  private async list<T extends RecordLink>(type: string, query: Query): Promise<T[]> {
    const { definition, service } = this.resource(type);
    const { data } = await service.list({ limit: MOST_RECORDS, ...query });
    const links = data.map((record) => ({ ...record, url: `${pathOf(definition)}/${record.id}` }));
    return links as unknown as T[]; // fields of the type's view that its declaration shows to every reader
  }

  private resource(type: string) {
    return this.registry.ofType(type)!;
  }
}

function startOf(date: string, timezone: string): string {
  return new Date(startOfDayMs(date, timezone)).toISOString();
}
