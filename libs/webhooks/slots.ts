/** A fixed number of places; who finds none free waits in line. */
export class Slots {
  private free: number;
  private readonly line: (() => void)[] = [];

  constructor(places: number) {
    this.free = places;
  }

  /** Resolves when a place has been taken, in the order of the calls. */
  async take(): Promise<void> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.line.push(resolve));
  }

  /** Gives a place back; the first in line gets it. */
  giveBack(): void {
    const next = this.line.shift();
    if (next) next();
    else this.free++;
  }

  /** From now on there is a place for everybody; the line dissolves. */
  open(): void {
    this.free = Infinity;
    for (const next of this.line.splice(0)) next();
  }
}
