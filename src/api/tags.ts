/** What each group of operations is about, for the API reference. A tag without an entry gets a plain sentence. */
export const TAGS: Readonly<Record<string, string>> = {
  'admin audit logs':
    'Who did what, when and from where: changes, refusals and failed sign-ins. Nothing here can be changed.',
  'admin outbox': 'Deliveries of events to webhook endpoints: look into them, send them again, skip them.',
  developer: 'What integrations look up: the schemas of all events, use and limits of the API.',
  health: 'For load balancers and orchestrators. No credential, no limits.',
  'sales deals': 'Opportunities on their way through a pipeline: create, edit, move, win, lose, reopen.',
  'sales pipelines': 'The stages that deals move through. A tenant has exactly one default pipeline.',
  'webhooks deliveries': 'One event on its way to one endpoint, with every attempt.',
  'webhooks endpoints': 'Subscriptions: where events are sent, which ones, and the secrets that sign them.',
  webhooks: 'Events as your endpoint receives them.',
};
