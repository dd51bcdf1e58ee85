import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';

/** A published version of a template. Rows are only inserted. */
@Entity({ schema: 'data', name: 'document_template_versions' })
export class TemplateVersion {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId!: string;

  @PrimaryColumn('uuid', { name: 'template_id' })
  templateId!: string;

  @PrimaryColumn('integer')
  number!: number;

  @Column('text', { nullable: true })
  subject!: string | null;

  @Column('text')
  body!: string;

  @Column('text', { nullable: true })
  styles!: string | null;

  @Column('jsonb', { name: 'variables_schema', nullable: true })
  variablesSchema!: Record<string, unknown> | null;

  @Column('text', { name: 'body_hash' })
  bodyHash!: string;

  @Column('timestamptz', { name: 'published_at' })
  publishedAt!: string;

  @Column('jsonb', { name: 'published_by' })
  publishedBy!: ActorStamp;
}
