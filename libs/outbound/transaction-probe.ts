let isTransactionOpen: () => boolean = () => false;

/**
 * Lets the outbound client detect that the caller is inside a database transaction. Set once per process by the app;
 * without it nothing is checked.
 */
export function setTransactionProbe(probe: () => boolean): void {
  isTransactionOpen = probe;
}

/**
 * Refuses to call the network while a database transaction is open, because it would hold its locks and its
 * connection for as long as a stranger's server likes.
 * @throws Error a mistake of the programmer, not an outcome of the call
 */
export function assertNoOpenTransaction(): void {
  if (isTransactionOpen()) throw new Error('outbound HTTP call while a database transaction is open');
}
