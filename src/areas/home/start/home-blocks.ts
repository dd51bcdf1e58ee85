import { Injectable } from '@nestjs/common';
import { currentPrincipal, holds } from '#libs/auth/current-principal.js';
import { TenantOnboarding } from '#libs/tenants/tenant-onboarding.js';
import { AnnouncementsService } from '../announcements/announcements.service.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { BlockKey } from '../block-keys.js';
import { InboxService } from '../notifications/inbox.service.js';
import type { FavouriteName } from '../pages/home-page.js';
import { HomePagesService } from '../pages/home-pages.service.js';
import { type BlockData, MOST_ANNOUNCEMENTS } from './home.dto.js';
import { MOST_RECORDS } from './home-records.dto.js';
import type { Moment } from './moment.js';
import { RecentRecords } from './recent-records.js';
import { RecordBlocks } from './record-blocks.js';
import { Tiles } from './tiles.js';

/** What blocks need to know about the request. */
export interface Visit extends Moment {
  favourites: readonly FavouriteName[];
}

/** Source of one block. */
export interface BlockSource<K extends BlockKey = BlockKey> {
  /** Whether the caller has the rights for it; otherwise the block is absent. */
  isOpen(): boolean;
  read(visit: Visit): Promise<BlockData[K]>;
}

const isPerson = () => currentPrincipal().membershipId !== null;

/** The sources of all blocks. */
@Injectable()
export class HomeBlocks {
  readonly sources: { [K in BlockKey]: BlockSource<K> };

  constructor(
    records: RecordBlocks,
    recent: RecentRecords,
    pages: HomePagesService,
    announcements: AnnouncementsService,
    approvals: ApprovalsService,
    inbox: InboxService,
    tiles: Tiles,
    onboarding: TenantOnboarding,
  ) {
    const of = (type: string) => () => records.isOpen(type);
    this.sources = {
      announcements: { isOpen: isPerson, read: () => announcements.current(MOST_ANNOUNCEMENTS) },
      tasks: { isOpen: of('work.task'), read: (visit) => records.tasks(visit) },
      approvals: {
        isOpen: () => holds('approvals:decide'),
        read: async () => (await approvals.list({ mine: 'to_decide', limit: MOST_RECORDS })).data,
      },
      mentions: { isOpen: isPerson, read: () => inbox.unread('mention', MOST_RECORDS) },
      interviews: { isOpen: of('talent.interview'), read: (visit) => records.interviews(visit) },
      timer: { isOpen: of('work.time_entry'), read: () => records.timer() },
      deals: { isOpen: of('sales.deal'), read: (visit) => records.deals(visit) },
      timeOff: { isOpen: of('people.time_off'), read: (visit) => records.timeOff(visit) },
      favourites: { isOpen: isPerson, read: ({ favourites }) => pages.linksOf(favourites) },
      recent: { isOpen: isPerson, read: () => recent.read() },
      scorecards: { isOpen: () => true, read: () => tiles.read() },
      onboarding: { isOpen: () => holds('onboarding:read'), read: () => onboarding.progress() },
    };
  }
}
