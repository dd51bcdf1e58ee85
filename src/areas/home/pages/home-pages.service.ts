import { oneByOne } from '#libs/database/one-by-one.js';
import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Problem } from '#libs/kernel/problem.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { RecordLink } from '../record-link.js';
import { type FavouriteName, type HomePage, homePages } from './home-page.js';
import type { BlockChoice, Favourites, Layout } from './home-page.dto.js';
import { arranged, refuseTwice } from './layout.js';

type Choice = Partial<Pick<HomePage, 'favourites' | 'layout'>>;

/** Favourites and layout of the person who calls. */
@Injectable()
export class HomePagesService {
  private readonly objects: GovernedObjects<HomePage>;

  constructor(
    kit: ResourceKit,
    private readonly subjects: RecordSubjects,
  ) {
    this.objects = new GovernedObjects(homePages, kit);
  }

  /** The choices of the caller; null if there are none, and for a service key. */
  async find(): Promise<HomePage | null> {
    const { membershipId } = currentPrincipal();
    return membershipId === null ? null : this.objects.rows.find(membershipId);
  }

  async favourites(): Promise<Favourites> {
    return { items: await this.linksOf((await this.find())?.favourites ?? []) };
  }

  /** The favourites that the caller can see, in order. */
  async linksOf(favourites: readonly FavouriteName[]): Promise<RecordLink[]> {
    return (await this.subjects.visibleAmong(favourites)).filter((each) => each !== null);
  }

  /** @throws Problem 400 for a record that the caller cannot see, or that is listed twice. */
  async setFavourites(items: FavouriteName[]): Promise<Favourites> {
    refuseTwice(
      items.map(({ id }) => id),
      '/items',
      'id',
    );
    const found = await this.subjects.visibleAmong(items);
    const unknown = items.flatMap(({ object }, index) =>
      found[index] ? [] : [`/items/${index}/${this.subjects.knows(object) ? 'id' : 'object'}`],
    );
    if (unknown.length > 0)
      throw Problem.validation(
        unknown.map((pointer) => ({ pointer, code: 'unknown_reference', detail: 'There is no such record.' })),
      );
    const links = found.filter((each) => each !== null);
    return this.set({ favourites: items }, 'favourites_changed', () => ({ items: links }));
  }

  async layout(): Promise<Layout> {
    return { blocks: arranged((await this.find())?.layout ?? []) };
  }

  /** @throws Problem 400 for a block that is listed twice. */
  setLayout(choices: BlockChoice[]): Promise<Layout> {
    refuseTwice(
      choices.map(({ key }) => key),
      '/blocks',
      'key',
    );
    return this.set({ layout: arranged(choices) }, 'layout_changed', ({ layout: blocks }) => ({ blocks }));
  }

  private set<T>(choice: Choice, event: string, show: (page: HomePage) => T): Promise<T> {
    const id = currentPrincipal().membershipId!; // the routes admit only callers that act for a person
    return this.objects.unit(async (transaction) => {
      await transaction.query(oneByOne('home page', id)); // at first there is no row to lock
      const before = await this.objects.rows.lock(transaction, id);
      if (before) return show(this.objects.change(transaction, before, choice, event));
      return show(this.objects.add(transaction, { id, favourites: [], layout: [], ...choice }, event));
    });
  }
}
