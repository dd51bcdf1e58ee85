/** A semaphore whose number of slots can grow. Callers wait in a queue for a free slot. */
export class Slots<T extends object> {
  private free: number;
  private readonly line: T[] = [];

  /** @param go called with each item that has got a slot */
  constructor(
    places: number,
    private readonly go: (each: T) => void,
  ) {
    this.free = places;
  }

  /** Starts an item when a slot is free, in the order of the calls. */
  take(each: T): void {
    if (this.free > 0) {
      this.free--;
      this.go(each);
    } else this.line.push(each);
  }

  /** Frees a slot for the first item in the queue. */
  giveBack(): void {
    const next = this.line.shift();
    if (next) this.go(next);
    else this.free++;
  }

  /** Adds slots, which the first items in the queue get. */
  add(places: number): void {
    for (let each = 0; each < places; each++) this.giveBack();
  }

  /** Removes the limit; all waiting items start. */
  open(): void {
    this.free = Infinity;
    for (const next of this.line.splice(0)) this.go(next);
  }
}
