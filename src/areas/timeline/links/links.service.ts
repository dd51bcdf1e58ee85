import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import type { Place } from '#libs/resource/access/record-subjects.js';
import { TimelineKit } from '../timeline-kit.js';
import { refuseArchived, type RecordSubject } from '#libs/resource/access/record-subjects.js';
import { TimelineService } from '../timeline.service.js';
import { type CreateLink, type LinkTarget, LinkView } from './link.dto.js';
import { INVERSES, type Relation } from './link.relations.js';
import { LinksRepository } from './links.repository.js';
import type { RecordLink } from './record-link.entity.js';

/** Links between records of any types. Both records show a link from their own side. */
@Injectable()
export class LinksService extends TimelineService<RecordLink, LinkView> {
  constructor(
    kit: TimelineKit,
    protected override readonly repository: LinksRepository,
  ) {
    super(
      {
        type: 'core.link',
        noun: 'link',
        collection: 'links',
        view: LinkView,
        events: { created: 'Two records were linked.', deleted: 'A link between two records was removed.' },
      },
      kit,
      repository,
    );
  }

  /** Links to records that the caller cannot see are left out. */
  override async list(place: Place, query: Record<string, unknown>): Promise<Page<LinkView>> {
    const { data, page } = await super.list(place, query);
    const shown: LinkView[] = [];
    for (const link of data) {
      const other = await this.kit.subjects.ifVisible(link.target.object, link.target.id);
      if (other) shown.push(withTarget(link, other));
    }
    return { data: shown, page };
  }

  /** @throws Problem 400 `unknown_reference` for a target that the caller cannot see, 409 `duplicate`, `record_locked`. */
  async create(place: Place, { relation, target }: CreateLink): Promise<LinkView> {
    const subject = await this.kit.subjects.atFor(place, 'links:write');
    refuseArchived(subject);
    const other = await this.targetOf(target);
    if (other.id === subject.id)
      throw Problem.validation([
        { pointer: '/target/id', code: 'invalid_value', detail: 'A record cannot be linked to itself.' },
      ]);
    return this.unit(async (transaction) => {
      const mine = this.side(subject, other, relation as Relation);
      const theirs: RecordLink = {
        ...mine,
        object: other.object,
        recordId: other.id,
        relation: INVERSES[relation as Relation],
        otherObject: subject.object,
        otherId: subject.id,
      };
      const [first, second] = mine.recordId < theirs.recordId ? [mine, theirs] : [theirs, mine];
      transaction.write(this.repository.insert(first));
      const save = this.repository.insert(second);
      this.record(transaction, subject, { event: 'created', before: null, after: mine, save });
      return withTarget(this.present(mine), other);
    });
  }

  /** Removes the link from both records. @throws Problem 409 `record_locked`; 423 if a legal hold covers one of them. */
  async remove(place: Place, id: string): Promise<Deleted> {
    const subject = await this.kit.subjects.atFor(place, 'links:write');
    refuseArchived(subject);
    return this.unit(async (transaction) => {
      const row = await this.lock(transaction, subject, id);
      this.refuseHeld(transaction, subject);
      this.refuseHeld(transaction, { object: row.otherObject, id: row.otherId });
      return this.erase(transaction, subject, row, this.repository.erase(row));
    });
  }

  protected present(row: RecordLink): LinkView {
    const { relation, otherObject: object, otherId: id } = row;
    const url = this.kit.subjects.urlOf(object, id);
    return { ...this.base(row), relation, target: { object, id, reference: null, name: null, url } };
  }

  private side(subject: RecordSubject, other: RecordSubject, relation: Relation): RecordLink {
    return { ...this.stamp(subject), relation, otherObject: other.object, otherId: other.id };
  }

  private async targetOf({ object, id }: LinkTarget): Promise<RecordSubject> {
    if (!this.kit.subjects.knows(object)) throw Problem.unknownReference('/target/object');
    try {
      return await this.kit.subjects.named(object, id);
    } catch (error) {
      throw error instanceof Problem && error.code === 'not_found' ? Problem.unknownReference('/target/id') : error;
    }
  }
}

function withTarget(link: LinkView, { object, id, reference, name, url }: RecordSubject): LinkView {
  return { ...link, target: { object, id, reference, name, url } };
}
