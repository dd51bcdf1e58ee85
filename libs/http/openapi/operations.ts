import { isExempt } from '../server/admission.js';
import { fieldsOf, id } from '../field.js';
import { fieldSchema } from '../schema.js';
import { FILE_PART } from '../uploads/multipart-form.js';
import { BYTES, MULTIPART } from '../uploads/upload-bodies.js';
import type { RouteOptions } from '../route.js';
import { rateClassOf } from '../rate-limit/throttlers.js';
import { bodyExample } from './examples.js';
import { headerRef, parameterRef, successHeaders } from './headers.js';
import type { Answer, Method, Operation, Parameter, Reference } from './parts.js';
import type { ModelExamples } from './model-examples.js';
import { type OperationTraits, type ProblemComponents, problemCodesOf } from './problems.js';

/** Derives traits from a route's method, path and declaration. */
function traitsOf(path: string, method: Method, route: RouteOptions): OperationTraits {
  const open = route.permission === 'public';
  return {
    open,
    body: method !== 'get',
    idempotent: ['post', 'put', 'patch'].includes(method) && !route.keyless,
    item: path.includes('{'),
    conditional: method !== 'get' && route.status !== 201 && (route.record === true || method === 'delete'),
    strict: !route.dialect,
    exempt: isExempt(path),
  };
}

/** Adds to an operation what follows from its route: parameters, headers, examples and all possible problems. */
export function completeOperation(
  { path, method, operation }: { path: string; method: Method; operation: Operation },
  route: RouteOptions,
  problems: ProblemComponents,
  examples: ModelExamples,
): void {
  const traits = traitsOf(path, method, route);
  if (traits.open) operation.security = (route.securitySchemes ?? []).map((scheme) => ({ [scheme]: [] }));
  else operation['x-rate-limit-class'] = route.dialect ? 'scim' : rateClassOf(method.toUpperCase(), route);
  if (!traits.open || traits.idempotent) operation['x-idempotent'] = traits.idempotent;
  operation.parameters = [
    ...pathParameters(path, route),
    ...(operation.parameters ?? []).filter((parameter) => !('in' in parameter) || parameter.in !== 'path').map(withoutDefaults),
    ...sharedParameters(method, route, traits),
  ];
  completeBody(method, operation, route);
  completeSuccess({ method, operation }, route, traits, examples);
  Object.assign(operation.responses, problems.answersFor(problemCodesOf(route, traits), route.dialect));
}

function pathParameters(path: string, route: RouteOptions): Parameter[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => {
    const declared = route.params?.[name];
    const { schema } = declared?.kind ?? id();
    return { name, in: 'path', required: true, description: declared?.description ?? 'Id of the record.', schema };
  });
}

/** Omits `required: false`, which is the default. */
function withoutDefaults(parameter: Parameter | Reference): Parameter | Reference {
  if ('$ref' in parameter || parameter.required) return parameter;
  const { required: _, ...rest } = parameter;
  return rest;
}

function sharedParameters(method: Method, route: RouteOptions, traits: OperationTraits): Reference[] {
  return [
    ...(traits.idempotent ? [parameterRef('IdempotencyKey')] : []),
    ...(traits.conditional ? [parameterRef('IfMatch')] : []),
    ...(route.record && method === 'get' ? [parameterRef('IfNoneMatch')] : []),
    ...(route.bytes ? [parameterRef('Range'), parameterRef('IfRange'), parameterRef('FileIfNoneMatch')] : []),
    ...(traits.open || route.dialect ? [] : [parameterRef('TenantSlug')]),
    parameterRef('RequestId'),
  ];
}

function completeBody(method: Method, operation: Operation, route: RouteOptions): void {
  if (route.upload) addFile(operation, route.upload);
  const { requestBody } = operation;
  const mediaType = route.form === true ? 'application/x-www-form-urlencoded' : route.dialect?.mediaType;
  const json = requestBody?.content[mediaType ?? 'application/json'];
  if (!requestBody || !json || !route.body) return;
  json.example = route.example?.body ?? bodyExample(route.body);
  const { schema } = json;
  if (route.form === true) return;
  if (route.form) requestBody.content['application/x-www-form-urlencoded'] = { schema };
  if (route.dialect) requestBody.content['application/json'] = { schema };
  else if (method === 'patch') requestBody.content['application/merge-patch+json'] = { schema };
}

/** A body that is a file, or a form with one. */
function addFile(operation: Operation, upload: NonNullable<RouteOptions['upload']>): void {
  const content = (operation.requestBody ??= { required: true, content: {} } as never).content;
  if (upload === 'bytes') content[BYTES] = { schema: { type: 'string', format: 'binary' } };
  else {
    const fields = Object.fromEntries([...fieldsOf(upload.form)].map(([name, spec]) => [name, fieldSchema(spec)]));
    const file = { type: 'string', format: 'binary', description: 'The file; the last part.' };
    content[MULTIPART] = { schema: { type: 'object', properties: { ...fields, [FILE_PART]: file }, required: [FILE_PART] } };
  }
}

function completeSuccess(
  { method, operation }: { method: Method; operation: Operation },
  route: RouteOptions,
  traits: OperationTraits,
  examples: ModelExamples,
): void {
  const success = operation.responses[String(route.status ?? 200)] as Answer;
  success.headers = successHeaders(route, { limited: !traits.open && !route.tenantless, idempotent: traits.idempotent });
  const empty = operation.responses[String(route.emptyStatus ?? 204)] as Answer | undefined;
  if (empty && route.emptyDescription) empty.headers = success.headers;
  const page = operation.responses['200'] as Answer | undefined;
  if (page && route.pageDescription) page.headers = success.headers;
  const [first] = [route.answer].flat();
  const json = success.content?.[route.dialect?.mediaType ?? 'application/json'];
  if (first) for (const type of route.downloads ?? []) success.content![type] = { schema: { type: 'string' } };
  const example = route.example?.answer;
  if (json && first && example && !examples.add(first.name, example)) json.example = example;
  const accepted = operation.responses['202'] as Answer | undefined;
  if (route.accepted && accepted) {
    const waits = { ...route, record: false, status: 202 as const };
    accepted.headers = successHeaders(waits, { limited: true, idempotent: traits.idempotent });
  }
  const there = operation.responses['200'] as Answer | undefined;
  if (there && (route.there || route.several))
    there.headers = successHeaders({ ...route, status: 200, record: route.several ? false : route.record === true }, { limited: !traits.open, idempotent: traits.idempotent });
  if (route.bytes) {
    const { headers } = success;
    (operation.responses['206'] as Answer).headers = { ...headers, 'Content-Range': headerRef('ContentRange') };
    operation.responses['304'] = { description: 'You have this file.', headers };
  }
  if (route.record && method === 'get') {
    const headers = successHeaders(route, { limited: !traits.open && !route.tenantless, idempotent: false });
    operation.responses['304'] = { description: 'One of the versions that you have is current.', headers };
  }
}
