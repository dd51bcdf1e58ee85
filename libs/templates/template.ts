/** Formats of templates. In all of them, a line of `subject` is plain text. */
export const FORMATS = ['html', 'markdown', 'text'] as const;
export type Format = (typeof FORMATS)[number];

/** Largest number of characters of a body, its styles and its schema as JSON. */
export const MAX_BODY = 100_000;
export const MAX_STYLES = 20_000;
export const MAX_SCHEMA = 20_000;
/** Largest number of characters of what a template makes. */
export const MAX_CONTENT = 1_000_000;
export const MAX_SUBJECT = 300;
/** CPU time of a rendering, in milliseconds. */
export const TIME_MS = 250;
/** Tags, values and pieces of text that one rendering can write. */
export const MAX_PIECES = 50_000;
/** Tags that can stand in each other. */
export const MAX_NESTING = 50;
/** Templates that one template includes, directly or through others, and how deeply they can include each other. */
export const MAX_PARTIALS = 20;
export const MAX_DEPTH = 5;

/** What a template consists of. */
export interface TemplateText {
  format: Format;
  subject: string | null;
  body: string;
  /** CSS; only with `html`. */
  styles: string | null;
  /** JSON Schema of the data. */
  variablesSchema: object | null;
}

/** What is wrong with a template, or with what it makes. `at` is the member of the template. */
export interface TemplateFault {
  at: 'body' | 'styles' | 'subject' | 'variablesSchema';
  code:
    | 'active_content'
    | 'forbidden_style'
    | 'not_with_format'
    | 'schema_invalid'
    | 'template_cycle'
    | 'template_failed'
    | 'template_invalid'
    | 'template_too_costly'
    | 'unknown_partial';
  detail: string;
}

/** What is known of a template without its data. */
export interface Inspection {
  /** Keys of the templates that its body includes. */
  partials: string[];
  faults: TemplateFault[];
}

export interface Rendering {
  template: TemplateText;
  /** Bodies of the included templates, by key. */
  partials: readonly (readonly [key: string, body: string])[];
  data: Record<string, unknown>;
  /** For numbers, amounts and dates. */
  locale: string;
  timeZone: string;
  /** Currency of amounts for which the template names none. */
  currency: string;
}

export interface Rendered {
  subject: string | null;
  content: string;
  /** Variables that the schema requires and the data lack, such as `customer.name`. */
  missingVariables: string[];
  warnings: string[];
}

export type RenderOutcome = { rendered: Rendered } | { faults: TemplateFault[] };

/** Keys by which templates include each other. Those of system templates have a dot. */
export const PARTIAL_KEY = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)?$/;
