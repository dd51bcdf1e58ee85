import { oneByOne } from '#libs/database/one-by-one.js';
import { Injectable } from '@nestjs/common';
import { asMember } from '#libs/auth/as-member.js';
import { Authorities } from '#libs/auth/authority.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Problem } from '#libs/kernel/problem.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { RecordLink } from '../record-link.js';
import { type FavouriteName, type HomePage, homePages, MAX_FAVOURITES } from './home-page.js';
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
    private readonly authorities: Authorities,
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

  /** @throws Problem 400 for a record that the caller cannot see, or that is listed twice, and for too many. */
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
    const choose = async (before: HomePage | null) => ({ favourites: await this.withUnseen(before, items) });
    return this.set(choose, 'favourites_changed', () => ({ items: links }));
  }

  /**
   * The new favourites: `items`, and those that the person can see, but not with this key, in their places.
   * @throws Problem 400 if they are too many together.
   */
  private async withUnseen(before: HomePage | null, items: readonly FavouriteName[]): Promise<FavouriteName[]> {
    const known = before?.favourites ?? [];
    const unseen = await this.unseenAmong(known);
    if (unseen.size + items.length > MAX_FAVOURITES) throw tooMany(unseen.size);
    const rest = [...items];
    const placed = known.flatMap((each) => (unseen.has(each) ? [each] : rest.splice(0, 1)));
    return [...placed, ...rest];
  }

  /** Favourites that the person can see, but not with the credential of this request. */
  private async unseenAmong(favourites: readonly FavouriteName[]): Promise<ReadonlySet<FavouriteName>> {
    const seen = await this.subjects.visibleAmong(favourites);
    const others = favourites.filter((_, index) => !seen[index]);
    if (others.length === 0) return new Set();
    const { membershipId } = currentPrincipal();
    const own = await asMember(this.authorities, membershipId!, () => this.subjects.visibleAmong(others)); // a person, see set()
    return new Set(others.filter((_, index) => own?.[index]));
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
    const choose = () => Promise.resolve({ layout: arranged(choices) });
    return this.set(choose, 'layout_changed', ({ layout: blocks }) => ({ blocks }));
  }

  private set<T>(
    choose: (before: HomePage | null) => Promise<Choice>,
    event: string,
    show: (page: HomePage) => T,
  ): Promise<T> {
    const id = currentPrincipal().membershipId!; // the routes admit only callers that act for a person
    return this.objects.unit(async (transaction) => {
      await transaction.query(oneByOne('home page', id)); // at first there is no row to lock
      const before = await this.objects.rows.lock(transaction, id);
      const choice = await choose(before);
      if (before) return show(this.objects.change(transaction, before, choice, event));
      return show(this.objects.add(transaction, { id, favourites: [], layout: [], ...choice }, event));
    });
  }
}

function tooMany(unseen: number): Problem {
  const detail = `You have ${unseen} more favourites that this key cannot see, and at most ${MAX_FAVOURITES} in all.`;
  return Problem.validation([{ pointer: '/items', code: 'too_many', detail }]);
}
