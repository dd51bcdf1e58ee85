import { Identity1763700000022 } from '../migrations/1763700000022-identity.js';
import { UsageOfSessions1763700000040 } from '../migrations/1763700000040-usage-of-sessions.js';
import { LoggedMails1763700000054 } from '../migrations/1763700000054-logged-mails.js';
import { ClosedInvitations1763700000056 } from '../migrations/1763700000056-closed-invitations.js';
import { ApiKeys1763700000058 } from '../migrations/1763700000058-api-keys.js';
import { BrowserSessions1763700000060 } from '../migrations/1763700000060-browser-sessions.js';
import { Mfa1763700000061 } from '../migrations/1763700000061-mfa.js';
import { Founding1763700000064 } from '../migrations/1763700000064-founding.js';
import { TenantLife1763700000065 } from '../migrations/1763700000065-tenant-life.js';
import { Oauth1763700000066 } from '../migrations/1763700000066-oauth.js';
import { Profiles1763700000069 } from '../migrations/1763700000069-profiles.js';
import { PublicLinks1763700000070 } from '../migrations/1763700000070-public-links.js';
import { SavedViews1763700000071 } from '../migrations/1763700000071-saved-views.js';
import { Tags1763700000072 } from '../migrations/1763700000072-tags.js';
import { MutedMails1763700000073 } from '../migrations/1763700000073-muted-mails.js';
import { Founders1763700000080 } from '../migrations/1763700000080-founders.js';
import { MfaChanges1763700000081 } from '../migrations/1763700000081-mfa-changes.js';
import { AwayOnLeave1763700000191 } from '../migrations/1763700000191-away-on-leave.js';
import { PeopleBehindKeys1763700000220 } from '../migrations/1763700000220-people-behind-keys.js';
import { AnotherCode1763700000240 } from '../migrations/1763700000240-another-code.js';
import { LimitsOfKeys1763700000241 } from '../migrations/1763700000241-limits-of-keys.js';
import { NarrowerGrants1763700000242 } from '../migrations/1763700000242-narrower-grants.js';

/** Who people are: users, sessions, invitations and their mails, API keys, delegated access. */
export const IDENTITY_MIGRATIONS = [
  Identity1763700000022,
  UsageOfSessions1763700000040,
  LoggedMails1763700000054,
  ClosedInvitations1763700000056,
  ApiKeys1763700000058,
  BrowserSessions1763700000060,
  Mfa1763700000061,
  Founding1763700000064,
  TenantLife1763700000065,
  Oauth1763700000066,
  Profiles1763700000069,
  PublicLinks1763700000070,
  SavedViews1763700000071,
  Tags1763700000072,
  MutedMails1763700000073,
  Founders1763700000080,
  MfaChanges1763700000081,
  AwayOnLeave1763700000191,
  PeopleBehindKeys1763700000220,
  AnotherCode1763700000240,
  LimitsOfKeys1763700000241,
  NarrowerGrants1763700000242,
];
