import { Field, type FieldOptions, id, instant, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { interviewLifecycle, type InterviewStatus } from './interview.lifecycle.js';

export const INTERVIEW_KINDS = ['phone', 'video', 'onsite', 'panel', 'assessment'] as const;
export type InterviewKind = (typeof INTERVIEW_KINDS)[number];

const people = () => listOf(id(), { max: 20, unique: true });
const place = () => text({ min: 1, max: 500 });
const maybe = (description: string): FieldOptions => ({ description, optional: true, nullable: true });

export class CreateInterview extends RecordInput {
  @Field(name(), { description: 'Label; made of the kind if not given.', optional: true })
  declare name: string;

  @Field(id(), { description: 'The open application that it is about.' })
  applicationId!: string;

  @Field(oneOf(INTERVIEW_KINDS), { description: 'How it is held; video if not given.', optional: true })
  kind!: InterviewKind;

  @Field(instant(), { description: 'When it begins.', example: '2026-12-01T09:00:00.000Z' })
  startAt!: string;

  @Field(instant(), { description: 'When it ends.', example: '2026-12-01T10:00:00.000Z' })
  endAt!: string;

  @Field(people(), { description: 'Memberships that ask the questions.', example: [], optional: true })
  interviewerIds!: string[];

  @Field(place(), maybe('Where: a room, an address of a call.'))
  location!: string | null;

  @Field(instant(), maybe('Until when their scorecards are due.'))
  feedbackDueAt!: string | null;
}

/** A merge patch; with `status` it is the action that leads there. */
export const UpdateInterview = updateOf(
  'UpdateInterview',
  CreateInterview,
  { field: 'status', lifecycle: interviewLifecycle, inputs: {} },
  ['applicationId'],
);

/** Another scheduled interview at the same time with one of the same people. */
export class InterviewClash {
  @Field(id(), { description: 'The other interview.' })
  interviewId!: string;

  @Field(id(), { description: 'Membership that would have to be in both.' })
  interviewerId!: string;

  @Field(instant(), { description: 'When the other one begins.' })
  startAt!: string;

  @Field(instant(), { description: 'When the other one ends.' })
  endAt!: string;
}

export class InterviewClashes {
  @Field(listOf(nested(InterviewClash), { max: 100 }), { description: 'The first hundred by time.', example: [] })
  data!: InterviewClash[];
}

export class InterviewView extends RecordView {
  @Field(oneOf(interviewLifecycle.states), {
    description: 'Whether it is to come, or how it went.',
    example: 'scheduled',
  })
  status!: InterviewStatus;

  @Field(id(), { description: 'The application that it is about.' })
  applicationId!: string;

  @Field(oneOf(INTERVIEW_KINDS), { description: 'How it is held.', example: 'video' })
  kind!: InterviewKind;

  @Field(instant(), { description: 'When it begins.', example: '2026-12-01T09:00:00.000Z' })
  startAt!: string;

  @Field(instant(), { description: 'When it ends.', example: '2026-12-01T10:00:00.000Z' })
  endAt!: string;

  @Field(people(), { description: 'Memberships that ask the questions.', example: [] })
  interviewerIds!: string[];

  @Field(place(), { description: 'Where: a room, an address of a call.', nullable: true })
  location!: string | null;

  @Field(instant(), { description: 'Until when their scorecards are due.', nullable: true })
  feedbackDueAt!: string | null;
}
