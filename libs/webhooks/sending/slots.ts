/** A number of places that can grow; who finds none free waits in line. */
export class Slots<T extends object> {
  private free: number;
  private readonly line: T[] = [];

  /** @param go is called with each that has got a place */
  constructor(
    places: number,
    private readonly go: (each: T) => void,
  ) {
    this.free = places;
  }

  /** Has one go when a place has been taken, in the order of the calls; at once when one is free. */
  take(each: T): void {
    if (this.free > 0) {
      this.free--;
      this.go(each);
    } else this.line.push(each);
  }

  /** Gives a place back; the first in line gets it. */
  giveBack(): void {
    const next = this.line.shift();
    if (next) this.go(next);
    else this.free++;
  }

  /** Makes so many more places; the first in line get them. */
  add(places: number): void {
    for (let each = 0; each < places; each++) this.giveBack();
  }

  /** From now on there is a place for everybody; the line dissolves. */
  open(): void {
    this.free = Infinity;
    for (const next of this.line.splice(0)) this.go(next);
  }
}
