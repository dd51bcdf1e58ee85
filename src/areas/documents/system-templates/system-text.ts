import type { TemplateText } from '#libs/templates/template.js';
import type { DocumentTemplate } from '../document-templates/document-template.js';

/** A template of the platform. */
export interface SystemText extends TemplateText, Pick<DocumentTemplate, 'key' | 'name' | 'kind'> {
  variablesSchema: Record<string, unknown> | null;
  /** Whether it is the default of its kind, as long as the tenant has no other. */
  isDefault: boolean;
}
