import { Field, id, instant, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { MAIL_STATES, MAIL_STATES_TEXT, type MailState } from '#libs/mail/mail-states.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { member } from '#libs/resource/types/envelope.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { MEMBER } from '#libs/resource/access/references.js';
import { ONE_PAGE, PageInfo } from '#libs/resource/types/record.dto.js';
import { WORKSPACE_OF_APPLICATION } from '../applications/application.parts.js';
import { interviewLifecycle, type InterviewStatus } from './interview.lifecycle.js';

const INTERVIEW_KINDS = ['phone', 'video', 'onsite', 'panel', 'assessment'] as const;

/** An interview with a candidate. */
export class Interview extends RecordRow {
  @ReadOnly(oneOf(interviewLifecycle.states), 'State of the interview.', { example: 'scheduled', filter: true })
  status!: InterviewStatus;

  @Attribute(id(), 'Open application that the interview is about.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b24',
    once: true,
    names: { table: 'data.talent_applications' },
    filter: true,
  })
  applicationId!: string;

  @Attribute(oneOf(INTERVIEW_KINDS), 'Kind of interview; `video` by default.', { default: 'video', filter: true })
  kind!: (typeof INTERVIEW_KINDS)[number];

  @Attribute(instant(), 'Start of the interview.', { example: '2026-12-01T09:00:00.000Z', filter: true, sort: true })
  startAt!: string;

  @Attribute(instant(), 'End of the interview, at most a day after the start.', { example: '2026-12-01T10:00:00.000Z' })
  endAt!: string;

  @Attribute(listOf(id(), { max: 20, unique: true }), 'Memberships of the interviewers.', {
    default: [],
    names: MEMBER,
    assigns: true,
  })
  interviewerIds!: string[];

  @Attribute(text({ min: 1, max: 500 }), 'Room, or address of the call.', { nullable: true })
  location!: string | null;

  @Derived(
    oneOf(MAIL_STATES),
    `State of the newest invitation of the candidate, its update or cancellation, where one interview is read; null elsewhere, and if there is none. ${MAIL_STATES_TEXT}`,
    { example: 'sent', nullable: true, told: false },
  )
  mailStatus?: MailState | null;

  @Attribute(instant(), 'Time by which the interviewers are to submit their scorecards; not before the end.', {
    nullable: true,
  })
  feedbackDueAt!: string | null;
}

export type ShownInterview = Shown<Interview>;

/** Another scheduled interview that overlaps and shares a participant. */
export class InterviewClash {
  @Field(id(), { description: 'The other interview.' })
  interviewId!: string;

  @Field(id(), { description: 'Membership that would have to be in both.' })
  interviewerId!: string;

  @Field(instant(), { description: 'Start of the other interview.' })
  startAt!: string;

  @Field(instant(), { description: 'End of the other interview.' })
  endAt!: string;
}

export class InterviewClashes {
  @Field(listOf(nested(InterviewClash), { max: 100 }), { description: 'The first hundred by time.', example: [] })
  data!: InterviewClash[];

  @Field(nested(PageInfo), ONE_PAGE)
  page!: PageInfo;
}

export const interviews = recordType(Interview, {
  area: 'talent',
  collection: 'interviews',
  noun: 'interview',
  prefix: 'INT',
  partOf: 'applicationId',
  permissions: { read: 'interviews:read', write: 'interviews:write' },
  reach: {
    own: [
      `t.id = any(array(select x.interview_id from data.talent_interview_people x where x.tenant_id = :tenant and x.interviewer_id = :me))`,
    ],
    workspace: WORKSPACE_OF_APPLICATION,
  },
  name: { example: 'Video interview', about: 'Label; by default made from the kind.', optional: true },
  defaultSort: '-startAt',
  lifecycle: interviewLifecycle,
  problems: { create: ['application_closed', 'do_not_contact', 'record_locked'], update: ['record_locked'] },
  bodies: { update: { location: 'Room 4' } },
  filters: {
    interviewerId: {
      ...filter.related(
        member(),
        `exists (select 1 from data.talent_interview_people x where x.tenant_id = t.tenant_id
          and x.interviewer_id = any(:values::uuid[]) and x.interview_id = t.id)`,
      ),
      person: true,
    },
  },
});
