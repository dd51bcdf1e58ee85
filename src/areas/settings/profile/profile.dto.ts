import { Field, id, instant, integer, listOf, name, nested, text } from '#libs/http/field.js';
import { MEMBERSHIP_TYPE } from '#libs/members/member.js';
import { OutOfOfficeView } from '#libs/members/member.dto.js';
import { locale, timeZone } from '#libs/settings/locale-fields.js';
import { MAX_SPANS, WorkingHours } from '#libs/settings/working-hours.js';

export class Profile {
  @Field(id(), { description: 'Id of your membership.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' })
  id!: string;

  @Field(text({ max: 60 }), { description: 'Type of the record.', example: MEMBERSHIP_TYPE })
  object!: string;

  @Field(name(), { description: 'Your name, as others see it.', example: 'Ana Silva' })
  name!: string;

  @Field(text({ max: 254 }), { description: 'Your address.', example: 'ana@acme.example' })
  email!: string;

  @Field(locale(), {
    description: 'Your language tag; null uses the language of the tenant.',
    example: 'de-AT',
    nullable: true,
  })
  locale!: string | null;

  @Field(timeZone(), {
    description: 'Your IANA time zone; null uses the time zone of the tenant.',
    example: 'Europe/Vienna',
    nullable: true,
  })
  timezone!: string | null;

  @Field(listOf(nested(WorkingHours), { max: MAX_SPANS }), {
    description:
      'Your working hours in the week, in your time zone, as colleagues see them; null if you have not said.',
    example: [{ weekday: 1, from: '09:00', to: '17:00' }],
    nullable: true,
  })
  workingHours!: WorkingHours[] | null;

  @Field(nested(OutOfOfficeView), { description: 'Days on which you are away, and your delegate.', nullable: true })
  outOfOffice!: OutOfOfficeView | null;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Version of your membership.', example: 3 })
  version!: number;

  @Field(instant(), { description: 'Time of the last change.', example: '2026-11-21T09:15:02.114Z' })
  updatedAt!: string;
}

export class UpdateProfile {
  @Field(name(), {
    description: 'Your name. It cannot be changed if an identity provider manages your account.',
    example: 'Ana Maria Silva',
    optional: true,
  })
  name?: string;

  @Field(locale(), {
    description: 'Language tag for apps; null uses the language of the tenant.',
    example: 'de-AT',
    nullable: true,
    optional: true,
  })
  locale?: string | null;

  @Field(timeZone(), {
    description: 'IANA time zone that determines your current day; null uses the time zone of the tenant.',
    example: 'Europe/Vienna',
    nullable: true,
    optional: true,
  })
  timezone?: string | null;

  @Field(listOf(nested(WorkingHours), { max: MAX_SPANS }), {
    description:
      'Your working hours in the week, in your time zone: intervals that do not overlap. Replaced as a whole; null says nothing about them.',
    example: [{ weekday: 1, from: '09:00', to: '17:00' }],
    nullable: true,
    optional: true,
  })
  workingHours?: WorkingHours[] | null;

  @Field(nested(OutOfOfficeView), {
    description:
      'Days on which you are away, and your delegate; null if you are not away. Replaced as a whole. If you have set none, a leave sets it, with your manager as the delegate.',
    nullable: true,
    optional: true,
  })
  outOfOffice?: OutOfOfficeView | null;
}
