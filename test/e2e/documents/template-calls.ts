import type { TestTenant } from '../../harness/platform.js';

export const PATH = '/api/admin/document-templates';

export interface Template extends Record<string, unknown> {
  id: string;
  key: string;
  name: string;
  body: string;
  status: string;
  version: number;
  currentVersion: number | null;
  hasDraft: boolean;
  isDefault: boolean;
  isSystem: boolean;
  versions: { version: number; bodyHash: string; publishedAt: string | null }[] | null;
  rendered: { subject: string | null; content: string; missingVariables: string[]; warnings: string[] } | null;
}

export interface Refusal extends Record<string, unknown> {
  code: string;
  errors?: { pointer: string; code: string; detail: string }[];
}

const USUAL = { name: 'Letter', kind: 'generic', body: '<p>Hello</p>' };

/** Creates a template, and publishes it if `published` is set. */
export async function makeTemplate({ api }: TestTenant, more: object = {}, published = false): Promise<Template> {
  const made = await api.post<Template>(PATH, { ...USUAL, ...more });
  if (made.status !== 200) throw new Error(`A template could not be created: ${made.text}`);
  if (!published) return made.body;
  return (await api.patch<Template>(`${PATH}/${made.body.id}`, { publish: true })).body;
}

export async function listTemplates({ api }: TestTenant, query = ''): Promise<Template[]> {
  return (await api.get<{ data: Template[] }>(`${PATH}?limit=200${query && `&${query}`}`)).body.data;
}

/** The rendering of a body with data. */
export async function rendered(tenant: TestTenant, body: string, data: object = {}, more: object = {}) {
  const {
    status,
    body: answer,
    text,
  } = await tenant.api.post<Template>(PATH, {
    ...{ ...USUAL, body, ...more },
    preview: { data },
  });
  if (status !== 200) throw new Error(`A template could not be rendered: ${text}`);
  return answer.rendered!;
}

/** The first fault of a body that is refused. */
export async function refusedAs({ api }: TestTenant, body: string, data: object = {}, more: object = {}) {
  const { status, body: answer } = await api.post<Refusal>(PATH, { ...USUAL, body, ...more, preview: { data } });
  const { pointer, code } = answer.errors?.[0] ?? { pointer: null, code: answer.code };
  return { status, pointer, code };
}
