import { Column, Entity } from 'typeorm';
import type { CustomFieldType } from '#libs/resource/custom-field-values.js';
import { RecordRow } from '#libs/resource/record.entity.js';

/** The definition of a field that a tenant adds to a type of record; its label is its name. */
@Entity({ schema: 'data', name: 'settings_custom_fields' })
export class CustomField extends RecordRow {
  @Column('text', { name: 'record_type' })
  recordType!: string;

  @Column('text')
  key!: string;

  @Column('text', { name: 'field_type' })
  fieldType!: CustomFieldType;

  @Column('boolean')
  required!: boolean;

  @Column('jsonb')
  options!: string[];

  @Column('jsonb', { nullable: true })
  min!: number | null;

  @Column('jsonb', { nullable: true })
  max!: number | null;

  @Column('text', { nullable: true })
  pattern!: string | null;

  @Column('text', { nullable: true })
  target!: string | null;

  @Column('jsonb', { name: 'default_value', nullable: true })
  defaultValue!: unknown;
}
