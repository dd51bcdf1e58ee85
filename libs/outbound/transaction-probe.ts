let isTransactionOpen: () => boolean = () => false;

/**
 * Lets the outbound client detect that the caller is inside a database transaction. Set once per process by the app;
 * without it nothing is checked.
 */
export function setTransactionProbe(probe: () => boolean): void {
  isTransactionOpen = probe;
}

/**
 * Rejects network calls while a database transaction is open, because a slow remote server would block its locks and
 * its connection.
 * @throws Error a programming error, not an outcome of the call
 */
export function assertNoOpenTransaction(): void {
  if (isTransactionOpen()) throw new Error('outbound HTTP call while a database transaction is open');
}
