import { Field, id, instant, integer, name, nested, text } from '#libs/http/field.js';
import { MEMBERSHIP_TYPE } from '#libs/members/member.js';
import { OutOfOfficeView } from '#libs/members/member.dto.js';
import { locale, timeZone } from '#libs/settings/settings.model.js';

export class Profile {
  @Field(id(), { description: 'Id of your membership.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' })
  id!: string;

  @Field(text({ max: 60 }), { description: 'Type of the record.', example: MEMBERSHIP_TYPE })
  object!: string;

  @Field(name(), { description: 'Your name, as others see it.', example: 'Ana Silva' })
  name!: string;

  @Field(text({ max: 254 }), { description: 'Your address.', example: 'ana@acme.example' })
  email!: string;

  @Field(locale(), { description: 'Your language tag; null for that of the tenant.', example: 'de-AT', nullable: true })
  locale!: string | null;

  @Field(timeZone(), {
    description: 'Your IANA time zone; null for that of the tenant.',
    example: 'Europe/Vienna',
    nullable: true,
  })
  timezone!: string | null;

  @Field(nested(OutOfOfficeView), { description: 'When you are away, and who stands in.', nullable: true })
  outOfOffice!: OutOfOfficeView | null;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Version of your membership.', example: 3 })
  version!: number;

  @Field(instant(), { description: 'Time of the last change.', example: '2026-11-21T09:15:02.114Z' })
  updatedAt!: string;
}

export class UpdateProfile {
  @Field(name(), {
    description: 'Your name. An identity provider that manages you has the say about it.',
    example: 'Ana Maria Silva',
    optional: true,
  })
  name?: string;

  @Field(locale(), {
    description: 'Language tag in which apps speak to you; null for that of the tenant.',
    example: 'de-AT',
    nullable: true,
    optional: true,
  })
  locale?: string | null;

  @Field(timeZone(), {
    description: 'IANA time zone whose days are your today; null for that of the tenant.',
    example: 'Europe/Vienna',
    nullable: true,
    optional: true,
  })
  timezone?: string | null;

  @Field(nested(OutOfOfficeView), {
    description: 'When you are away and who stands in; null when you are not. It is replaced as a whole.',
    nullable: true,
    optional: true,
  })
  outOfOffice?: OutOfOfficeView | null;
}
