import {
  civilDate,
  Field,
  instant,
  type Kind,
  listOf,
  type ModelClass,
  nested,
  oneOf,
  text,
} from '#libs/http/field.js';
import { MetricCard } from '#libs/measures/figure.dto.js';
import { ApprovalView } from '#libs/resource/gates/approval.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { model } from '#libs/resource/types/record.dto.js';
import { timeZone } from '#libs/settings/locale-fields.js';
import { OnboardingProgress } from '#libs/tenants/tenant-onboarding.js';
import { type Announcement, announcements } from '../announcements/announcement.js';
import { type BlockKey, BLOCKS } from '../block-keys.js';
import { NotificationView } from '../notifications/notification.dto.js';
import { MAX_FAVOURITES } from '../pages/home-page.js';
import { RecordLink } from '../record-link.js';
import {
  HomeDeal,
  HomeInterview,
  HomeTasks,
  HomeTimeOff,
  HomeTimer,
  MOST_RECORDS,
  RecentRecord,
} from './home-records.dto.js';

/** Tiles of a home page. */
export const MOST_TILES = 12;
/** Announcements on a home page. */
export const MOST_ANNOUNCEMENTS = 10;

export class BlockError {
  @Field(text({ max: 60 }), { description: 'Code of the problem.', example: 'timeout' }) code!: string;
  @Field(text({ max: 500 }), { description: 'Explanation for people.' }) detail!: string;
}

/** A part of the home page. */
export interface Block<T> {
  /** Null if it could not be read. */
  data: T | null;
  asOf: string;
  error: BlockError | null;
}

/** What the blocks contain. */
export interface BlockData {
  announcements: ShownObject<Announcement>[];
  tasks: HomeTasks;
  approvals: ApprovalView[];
  mentions: NotificationView[];
  interviews: HomeInterview[];
  timer: HomeTimer | null;
  deals: HomeDeal[];
  timeOff: HomeTimeOff;
  favourites: RecordLink[];
  recent: RecentRecord[];
  scorecards: MetricCard[];
  onboarding: OnboardingProgress;
}

function block(name: string, kind: Kind, description: string): Kind {
  return nested(
    model(name, {
      data: { kind, description: `${description} Null if there is an \`error\`.`, nullable: true },
      asOf: { kind: instant(), description: 'Time at which the block was read.' },
      error: { kind: nested(BlockError), description: 'Why the block could not be read.', nullable: true },
    }),
  );
}

const records = (item: ModelClass) => listOf(nested(item), { max: MOST_RECORDS });
const PERSONAL = 'Absent for a service key.';
const needs = (permission: string) => `${PERSONAL} Absent without \`${permission}\`.`;

const announcementBlock = block(
  'AnnouncementBlock',
  listOf(nested(announcements.view), { max: MOST_ANNOUNCEMENTS }),
  'The newest announcements that are not over.',
);
const taskBlock = block('TaskBlock', nested(HomeTasks), 'Open tasks that are assigned to you, by due date.');
const approvalBlock = block('ApprovalBlock', records(ApprovalView), 'Requests for approval that you can decide.');
const mentionBlock = block(
  'MentionBlock',
  records(NotificationView),
  'Unread notifications of mentions, newest first.',
);
const interviewBlock = block(
  'InterviewBlock',
  records(HomeInterview),
  'Scheduled interviews of today that you conduct, by start.',
);
const timerBlock = block('TimerBlock', nested(HomeTimer), 'Time entry whose timer runs; also null if no timer runs.');
const dealBlock = block('DealBlock', records(HomeDeal), 'Your open deals that close today or in the next 14 days.');
const timeOffBlock = block('TimeOffBlock', nested(HomeTimeOff), 'Time off, by first day.');
const favouriteBlock = block(
  'FavouriteBlock',
  listOf(nested(RecordLink), { max: MAX_FAVOURITES }),
  'Your favourites that you can see, in your order.',
);
const recentBlock = block('RecentBlock', records(RecentRecord), 'Records that you changed last, newest first.');
const scorecardBlock = block(
  'ScorecardBlock',
  listOf(nested(MetricCard), { max: MOST_TILES }),
  'Key figures of this month, compared with the month before: those with a target first, then a selection. Only metrics whose items you may read; each counts the items that `drillDown` lists for you.',
);
const onboardingBlock = block('OnboardingBlock', nested(OnboardingProgress), 'Progress of the onboarding.');

export class Home implements Partial<{ [K in BlockKey]: Block<BlockData[K]> }> {
  @Field(civilDate(), { description: 'Today in the time zone of the person.', example: '2026-11-21' })
  today!: string;

  @Field(timeZone(), {
    description: 'Time zone of the person; that of the tenant by default.',
    example: 'Europe/Berlin',
  })
  timezone!: string;

  @Field(listOf(oneOf(BLOCKS), { max: BLOCKS.length }), {
    description: 'Keys of the blocks in this response, in the order of the layout.',
    example: ['tasks', 'approvals'],
  })
  order!: BlockKey[];

  @Field(announcementBlock, { description: `Announcements. ${PERSONAL}`, optional: true })
  announcements?: Block<BlockData['announcements']>;

  @Field(taskBlock, { description: `Tasks. ${needs('tasks:read')}`, optional: true })
  tasks?: Block<HomeTasks>;

  @Field(approvalBlock, { description: 'Approvals. Absent without `approvals:decide`.', optional: true })
  approvals?: Block<ApprovalView[]>;

  @Field(mentionBlock, { description: `Mentions. ${PERSONAL}`, optional: true })
  mentions?: Block<NotificationView[]>;

  @Field(interviewBlock, { description: `Interviews. ${needs('interviews:read')}`, optional: true })
  interviews?: Block<HomeInterview[]>;

  @Field(timerBlock, { description: `Running timer. ${needs('time-entries:read')}`, optional: true })
  timer?: Block<HomeTimer | null>;

  @Field(dealBlock, { description: `Deals. ${needs('deals:read')}`, optional: true })
  deals?: Block<HomeDeal[]>;

  @Field(timeOffBlock, { description: `Time off. ${needs('time-off:read')}`, optional: true })
  timeOff?: Block<HomeTimeOff>;

  @Field(favouriteBlock, { description: `Favourites. ${PERSONAL}`, optional: true })
  favourites?: Block<RecordLink[]>;

  @Field(recentBlock, { description: `Recently changed records. ${PERSONAL}`, optional: true })
  recent?: Block<RecentRecord[]>;

  @Field(scorecardBlock, { description: 'Key figures.', optional: true })
  scorecards?: Block<MetricCard[]>;

  @Field(onboardingBlock, {
    description: 'Onboarding of the tenant. Absent without `onboarding:read`.',
    optional: true,
  })
  onboarding?: Block<OnboardingProgress>;
}
