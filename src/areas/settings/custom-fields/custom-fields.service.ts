import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { canonical, kindOf } from '#libs/resource/records/custom-field-values.js';
import type { Decisions } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import type { Shown } from '#libs/resource/types/record-type.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { type CustomField, customFields } from './custom-field.js';
import { type Defined, definitionViolations } from './definition-rules.js';

const EMPTY = { ...customFields.defaults, min: null, max: null, pattern: null, target: null, defaultValue: null };

/** Definitions of the tenant's own fields. Records are held against them by the resource kit. */
@Injectable()
export class CustomFieldsService implements Decisions<CustomField, Shown<CustomField>> {
  readonly constraints = {
    settings_custom_fields_limit: () => new Problem('limit_reached', 'A type has at most 100 custom fields.'),
  };
  readonly records: Records<CustomField, Shown<CustomField>>;

  constructor(private readonly kit: ResourceKit) {
    this.records = Records.of(customFields, kit, this);
  }

  derive({ name }: CustomField): Partial<Shown<CustomField>> {
    return { label: name };
  }

  draft({ label, ...input }: Partial<CustomField>): Draft<CustomField> {
    return { ...this.checked({ ...EMPTY, ...input } as CustomField), name: label! };
  }

  edit(row: CustomField, { label, ...patch }: Partial<CustomField>): Partial<CustomField> {
    const { defaultValue } = this.checked({ ...row, ...patch });
    return {
      ...(label === undefined ? {} : { name: label }),
      ...patch,
      ...('defaultValue' in patch ? { defaultValue } : {}),
    };
  }

  /** @throws Problem 400 with everything that is wrong. */
  private checked<T extends Defined>(defined: T): T {
    const violations = definitionViolations(defined, this.kit.registry);
    if (violations.length > 0) throw Problem.validation(violations);
    const { fieldType, defaultValue } = defined;
    return {
      ...defined,
      defaultValue: defaultValue === null ? null : canonical({ fieldType, kind: kindOf(defined) }, defaultValue),
    };
  }
}
