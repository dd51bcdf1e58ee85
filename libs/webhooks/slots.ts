/** A number of places that can grow; who finds none free waits in line. */
export class Slots {
  private free: number;
  private readonly line: (() => void)[] = [];

  constructor(places: number) {
    this.free = places;
  }

  /** Calls `go` when a place has been taken, in the order of the calls; at once when one is free. */
  take(go: () => void): void {
    if (this.free > 0) {
      this.free--;
      go();
    } else this.line.push(go);
  }

  /** Gives a place back; the first in line gets it. */
  giveBack(): void {
    const next = this.line.shift();
    if (next) next();
    else this.free++;
  }

  /** Makes so many more places; the first in line get them. */
  add(places: number): void {
    for (let each = 0; each < places; each++) this.giveBack();
  }

  /** From now on there is a place for everybody; the line dissolves. */
  open(): void {
    this.free = Infinity;
    for (const next of this.line.splice(0)) next();
  }
}
