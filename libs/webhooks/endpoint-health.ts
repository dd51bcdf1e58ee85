/** What deliveries tell the area that owns the endpoints. Implemented there, so that the change is audited like any other. */
export abstract class EndpointHealth {
  /**
   * The endpoint of the tenant in scope has answered 410 Gone: it is disabled and what is open for it held. Changes
   * nothing when it is not enabled any more.
   */
  abstract disableGone(endpointId: string): Promise<void>;
}
