/** Kinds of notifications. */
export const NOTIFICATION_KINDS = [
  'mention',
  'assignment',
  'approval_requested',
  'approval_decided',
  'due_soon',
  'overdue',
  'watch',
  'review',
  'endpoint',
  'report',
  'export',
  'import',
  'security',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

export const EMAIL_CHOICES = ['none', 'instant', 'daily'] as const;
export type EmailChoice = (typeof EMAIL_CHOICES)[number];

/** How a member receives notifications of one kind. */
export interface NotificationChoice {
  inApp: boolean;
  email: EmailChoice;
}

/** How a member receives notifications. */
export interface NotificationChoices {
  kinds: Record<NotificationKind, NotificationChoice>;
  /** Time of the daily mail, `HH:MM` in the time zone of the member. */
  digestAt: string;
}

/** The choices of a member that differ from the defaults. */
export interface OwnChoices {
  kinds?: Partial<Record<NotificationKind, Partial<NotificationChoice>>>;
  digestAt?: string;
}

const INSTANT = new Set<NotificationKind>(['mention', 'approval_requested', 'report', 'security']);
const DIGEST_AT = '07:00';

/** How a member receives notifications of one kind. */
export function choiceOf({ kinds = {} }: OwnChoices, kind: NotificationKind): NotificationChoice {
  return { inApp: true, email: INSTANT.has(kind) ? 'instant' : 'daily', ...kinds[kind] };
}

export function choicesOf(own: OwnChoices): NotificationChoices {
  const kinds = Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, choiceOf(own, kind)]));
  return { kinds: kinds as NotificationChoices['kinds'], digestAt: own.digestAt ?? DIGEST_AT };
}

/** What of some choices differs from the defaults. */
export function ownOf({ kinds, digestAt }: NotificationChoices): OwnChoices {
  const own: NonNullable<OwnChoices['kinds']> = {};
  for (const kind of NOTIFICATION_KINDS) {
    const { inApp, email } = kinds[kind];
    const usual = choiceOf({}, kind);
    const differs = { ...(inApp === usual.inApp ? {} : { inApp }), ...(email === usual.email ? {} : { email }) };
    if (Object.keys(differs).length > 0) own[kind] = differs;
  }
  return {
    ...(Object.keys(own).length > 0 ? { kinds: own } : {}),
    ...(digestAt === DIGEST_AT ? {} : { digestAt }),
  };
}
